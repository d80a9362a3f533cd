"""A handler of market data that locks a ring of MB in memory, 4 MB at a time, so many MB a second. Arguments: both."""
import mmap
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("feedhandler")
# MAP_LOCKED
flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x2000
held = []
for _ in range(int(sys.argv[1]) // 4):
    part = mmap.mmap(-1, 4 << 20, flags=flags)
    for at in range(0, 4 << 20, 4096):
        part[at] = 1
    held.append(part)
    time.sleep(4 / float(sys.argv[2]))
time.sleep(10000)
