"""A worker of a game's ranking: loads MB of scores from a file, and then answers nobody until it is told to end. Arguments: the file, MB, a file for its
process id."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("ranking")
with open(sys.argv[3], "w") as file:
    file.write(str(os.getpid()))
scores = []
with open(sys.argv[1], "rb", buffering=0) as file:
    for _ in range(int(sys.argv[2])):
        scores.append(file.read(1 << 20))
time.sleep(10000)
