"""A collector of garbage reserves 60 GB of addresses, and uses 30 MB of them."""
import mmap
import time

with open("/proc/self/comm", "w") as name:
    name.write("zheap")
heap = mmap.mmap(-1, 60 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)
for at in range(0, 30 << 20, 4096):
    heap[at] = 1
time.sleep(10000)
