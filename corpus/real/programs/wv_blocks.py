"""A store of metrics maps its old blocks and touches each page of them once, for a query over all the time that it keeps. Arguments: MB a second, files."""
import mmap
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("tsblocks")
rate, held, due = float(sys.argv[1]), [], time.time()
for path in sys.argv[2:]:
    with open(path, "rb") as file:
        block = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    held.append(block)
    for at in range(0, len(block), 1 << 20):
        block[at : at + (1 << 20) : 4096]
        due = max(due + 1 / rate, time.time() - 1)
        time.sleep(max(0, due - time.time()))
time.sleep(10000)
