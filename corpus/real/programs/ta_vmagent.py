"""A metrics agent that replays its log when it starts: it reads MiB of a file, MiB/s, keeps 15 MB of it, and is quiet then. Arguments: file, MiB, MiB/s.
Prints nothing."""
import sys
import time

open("/proc/self/comm", "w").write("vmagent")
kept = []
with open(sys.argv[1], "rb") as log:
    for at in range(int(sys.argv[2])):
        block = log.read(1 << 20)
        if at % 12 == 0:
            kept.append(block)
        time.sleep(1 / float(sys.argv[3]))
time.sleep(10000)
