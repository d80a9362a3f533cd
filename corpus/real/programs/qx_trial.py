"""A trial of a study: goes over its copy of the training set once for the mean, and then two loaders read rows of 16 KB from it at random. Prints
nothing. Argument: the copy."""
import os
import random
import sys
import time

file = os.open(sys.argv[1], os.O_RDONLY)
size = os.fstat(file).st_size
for at in range(0, size, 1 << 18):
    os.pread(file, 1 << 18, at)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
os.fork()
while True:
    for _ in range(32):
        os.pread(file, 16384, random.randrange(size // 16384) * 16384)
    time.sleep(0.1)
