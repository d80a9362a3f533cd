"""A full refresh of a model maps the source extracts one after the other, and passes over each batch of 32 MB twice, at 30 MB/s or less. Arguments: the
files. Prints nothing."""
import mmap
import sys
import time

import numpy

BATCH = 32 << 20
with open("/proc/self/comm", "w") as comm:
    comm.write("dbt")
while True:
    for name in sys.argv[1:]:
        with open(name, "rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
        extract = numpy.frombuffer(mapped, dtype=numpy.uint8)
        for start in range(0, len(extract), BATCH):
            began = time.time()
            for _ in range(2):
                for at in range(start, min(start + BATCH, len(extract)), 1 << 20):
                    extract[at : at + (1 << 20) : 512].sum()
            time.sleep(max(0, began + BATCH / 30e6 - time.time()))
