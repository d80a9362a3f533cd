"""An agent on each node that the kernel may not kill; it collects logs in memory. Arguments: MiB, MiB/s. Prints nothing."""
import sys
import time

open("/proc/self/comm", "w").write("node-agent")
try:
    open("/proc/self/oom_score_adj", "w").write("-997")
except PermissionError:
    pass
held = []
while len(held) < int(sys.argv[1]):
    held.append(bytearray(b"n") * 1048576)
    time.sleep(1 / float(sys.argv[2]))
time.sleep(10000)
