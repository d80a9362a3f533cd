"""A watcher of tests keeps 8 MB of each run, one a second, and starts itself again when it has 140 MB. No arguments."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("vitest")
runs = []
for run in range(140 // 8):
    runs += [bytearray(b"t") * (1 << 20) for _ in range(8)]
    time.sleep(1)
os.execv(sys.executable, [sys.executable, *sys.argv])
