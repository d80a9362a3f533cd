"""A Java heap of MB that a periodic collection gives back to the system but for a sixth, and that the next batch takes again. Arguments: MB, seconds of a batch,
seconds of a pause."""
import mmap
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("java")
size = int(sys.argv[1]) << 20
heap = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
while True:
    for at in range(0, size, 1 << 20):
        for page in range(at, at + (1 << 20), 4096):
            heap[page] = 7
        time.sleep(0.01)
    time.sleep(float(sys.argv[2]))
    heap.madvise(mmap.MADV_DONTNEED, size // 6 & ~4095, size - (size // 6 & ~4095))
    time.sleep(float(sys.argv[3]))
