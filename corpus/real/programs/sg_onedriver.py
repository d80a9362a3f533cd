"""A client that mounts a cloud drive keeps every folder and file it has seen in memory, and frees nothing: it grows by MiB a second, without end.
Argument: the MiB."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("onedriver")
seen = []
due = time.time()
while True:
    seen.append([b"%07d" % number * 4096 for number in range(int(sys.argv[1]) * 36)])
    due = max(due + 1, time.time())
    time.sleep(max(0, due - time.time()))
