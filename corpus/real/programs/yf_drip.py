"""Keeps MB/s that it never looks at again, up to 200 MB. Argument: the MB/s."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("hwagent")
held = []
while len(held) < 200:
    held.append(bytearray(b"d") * (1 << 20))
    time.sleep(1 / float(sys.argv[1]))
time.sleep(10000)
