"""The sessions of a course: so many processes start one after the other, each loads its data frames of so many MB within ten seconds and then waits for its
student, who now and then runs a line. Prints nothing. Arguments: sessions, MB of each."""
import os
import sys
import time

sessions, size = int(sys.argv[1]), int(sys.argv[2])
for _ in range(sessions):
    if os.fork():
        time.sleep(1)
        continue
    with open("/proc/self/comm", "w") as name:
        name.write("rsession")
    frames = []
    for _ in range(size):
        frames.append(bytearray(b"\1") * (1 << 20))
        time.sleep(10 / size)
    while True:
        time.sleep(4)
        frames[0][::4096] = b"\2" * 256
time.sleep(10000)
