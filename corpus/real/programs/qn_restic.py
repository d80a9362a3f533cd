"""A prune of a backup repository: it loads the index into memory, MB/s, up to MB, and keeps it. Its unit protects it from the OOM killer. Arguments: MB, MB/s."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("restic")
with open("/proc/self/oom_score_adj", "w") as score:
    score.write("-700")
index = []
for _ in range(int(sys.argv[1])):
    index.append(bytearray(b"i") * 1048576)
    time.sleep(1 / float(sys.argv[2]))
time.sleep(10000)
