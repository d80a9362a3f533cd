"""So many processes that compute without end. Arguments: how many, their name."""
import os
import sys

for _ in range(int(sys.argv[1]) - 1):
    if os.fork() == 0:
        break
with open("/proc/self/comm", "w") as name:
    name.write(sys.argv[2])
value = 1
while True:
    value = value * 1103515245 + 12345 & 0x7FFFFFFF
