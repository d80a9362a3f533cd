"""A notebook that somebody goes on with: it takes 4 MiB at a time up to so many MiB, and looks at random pages of all of it. Arguments: MiB, MiB/s."""
import random
import sys
import time

size, rate = int(sys.argv[1]), float(sys.argv[2])
with open("/proc/self/comm", "w") as comm:
    comm.write("notebook")
frames = []
while True:
    if len(frames) * 4 < size:
        frames.append(bytearray(random.randbytes(4096)) * 1024)
        time.sleep(4 / rate)
    for _ in range(30):
        random.choice(frames)[random.randrange(4 << 20)] = 1
    time.sleep(0.05)
