"""A store of metrics keeps the newest samples in memory: its head grows by 12 MB a second to MB, is cut to a third, given back to the kernel at once, and grows
again. Argument: the MB."""
import mmap
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("tsdbhead")
size = int(sys.argv[1])
head = mmap.mmap(-1, size << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
at = size // 3
head[: at << 20] = b"m" * (at << 20)
while True:
    while at < size:
        head[at << 20 : (at + 1) << 20] = b"m" * (1 << 20)
        at += 1
        time.sleep(1 / 12)
    at = size // 3
    head.madvise(mmap.MADV_DONTNEED, at << 20, (size - at) << 20)
