"""A collector that packs logs again: it reads files at MB a second, each MB of them twice, and keeps nothing. Arguments: MB a second, files."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("logcompact")
rate, due = float(sys.argv[1]), time.time()
while True:
    for path in sys.argv[2:]:
        file = os.open(path, os.O_RDONLY)
        for at in range(0, os.fstat(file).st_size, 1 << 20):
            os.pread(file, 1 << 20, at)
            os.pread(file, 1 << 20, at)
            due = max(due + 1 / rate, time.time() - 1)
            time.sleep(max(0, due - time.time()))
        os.close(file)
