"""A shim of a container with its buffers, which the OOM killer must not choose. Argument: MiB."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("shim")
with open("/proc/self/oom_score_adj", "w") as score:
    score.write("-998")
held = []
for _ in range(int(sys.argv[1])):
    held.append(bytearray(b"x") * 1048576)
    time.sleep(0.03)
time.sleep(10000)
