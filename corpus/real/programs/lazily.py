"""A runtime that gives 320 MB back lazily (MADV_FREE, as Go 1.12 to 1.15): they count as resident until the kernel needs them."""
import mmap
import time

heap = mmap.mmap(-1, 320 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
for at in range(0, len(heap), 1 << 20):
    heap[at : at + (1 << 20)] = b"g" * (1 << 20)
heap.madvise(mmap.MADV_FREE)
time.sleep(10000)
