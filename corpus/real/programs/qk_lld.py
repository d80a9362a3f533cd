"""Links programs at once: each linker takes MB of symbols and sections at 12 MB/s and uses pages of them at random all the time. Arguments: linkers, MB of
each. Prints nothing."""
import os
import random
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("ld.lld")
count, size = int(sys.argv[1]), int(sys.argv[2])
for _ in range(count):
    if os.fork() == 0:
        break
else:
    time.sleep(10000)
held = []
while True:
    if len(held) < size:
        held.append(bytearray(b"s") * (1 << 20))
    for _ in range(60):
        random.choice(held)[random.randrange(256) << 12] = 1
    time.sleep(0.08 if len(held) < size else 0.02)
