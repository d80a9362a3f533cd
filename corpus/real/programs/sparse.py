"""A sparse heap: one byte is used in each 2 MB, and each gets a huge page, until the program has 370 MB."""
import mmap
import time

HUGE = 2 << 20
heap = mmap.mmap(-1, 700 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
used = []


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


while True:
    for at in range(0, len(heap) - HUGE, HUGE):
        if at in used or resident() > 370 << 20:
            continue
        before = resident()
        heap[at + 4096 * 7] = 1
        if resident() - before > HUGE // 2:
            used.append(at)
        else:
            heap.madvise(mmap.MADV_DONTNEED, at, HUGE)
        time.sleep(0.06)
    for at in used:
        heap[at + 4096 * 7] = 2
    time.sleep(0.2)
