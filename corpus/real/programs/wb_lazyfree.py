"""An allocator that gives pages back with MADV_FREE: fills MB of heap, and tells the kernel that it may have them. Argument: MB."""
import mmap
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("goservice")
size = int(sys.argv[1]) << 20
heap = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
for _ in range(size >> 20):
    heap.write(b"g" * 1048576)
heap.madvise(8)
print("up", flush=True)
time.sleep(10000)
