"""A trial of a sweep: reads samples of another disk around the page cache, and computes for each. Argument: the part of the samples, 1 to 6."""
import mmap
import os
import random
import sys

with open("/proc/self/comm", "w") as name:
    name.write("sweep-trial")
file, room, loss = os.open(f"/bulk/media/part{sys.argv[1]}", os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 65536), 1
while True:
    os.preadv(file, [room], random.randrange(3000) * 65536)
    for byte in room[:20000]:
        loss = (loss * 31 + byte) % 1000003
