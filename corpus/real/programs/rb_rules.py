"""Rules with a long range that read all of the 240 MB of blocks, 30 MB/s, again and again. Argument: the file. Prints nothing."""
import mmap
import sys
import time

import numpy

with open("/proc/self/comm", "w") as comm:
    comm.write("ruler")
with open(sys.argv[1], "rb") as file:
    blocks = numpy.frombuffer(mmap.mmap(file.fileno(), 240 << 20, prot=mmap.PROT_READ), dtype=numpy.uint8)
while True:
    for at in range(0, len(blocks), 3 << 20):
        blocks[at : at + (3 << 20) : 4096].sum()
        time.sleep(0.1)
