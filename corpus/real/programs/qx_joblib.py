"""Workers of a grid search, each with a copy of its own of the training set, over which it goes again and again. Prints nothing. Arguments: the
workers, MB of a copy."""
import os
import sys
import time

for worker in range(int(sys.argv[1]) - 1):
    if not os.fork():
        break
with open("/proc/self/comm", "w") as name:
    name.write("loky")
copy = []
for _ in range(int(sys.argv[2])):
    copy.append(bytearray(b"\1") * (1 << 20))
    time.sleep(0.01)
turn = 0
while True:
    turn += 1
    for part in copy:
        part[::4096] = bytes([turn % 250 + 1]) * 256
        time.sleep(0.005)
