"""Takes huge pages beyond the pool (surplus), 8 MB at a time, and touches them. Arguments: MB in all, MB a second."""
import mmap
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("pktbuffers")
held, ends = [], time.time() + 60
while len(held) * 8 < int(sys.argv[1]) and time.time() < ends:
    try:
        part = mmap.mmap(-1, 8 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000)
        for at in range(0, 8 << 20, 2 << 20):
            part[at] = 1
        held.append(part)
    except OSError:
        time.sleep(0.2)
    time.sleep(8 / float(sys.argv[2]))
time.sleep(10000)
