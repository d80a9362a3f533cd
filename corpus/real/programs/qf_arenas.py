"""A heap of many arenas of 2 MB, of each of which 26 pages are used, as of an allocator that frees with madvise; one arena more every 2 s.
Argument: arenas."""
import mmap
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("ruleengine")
HUGE, count = 2 << 20, int(sys.argv[1])
heap = mmap.mmap(-1, (count + 100) * HUGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
while True:
    for at in range(0, count * HUGE, HUGE):
        for page in range(26):
            heap[at + page * 19 * 4096] = 1
    count = min(count + 1, len(heap) // HUGE)
    time.sleep(2)
