"""Backs a volume up with so many parallel readers, each of which reads one piece after the other past the page cache. Arguments: readers, kB of a piece."""
import mmap
import os
import random
import sys

readers, size = int(sys.argv[1]), int(sys.argv[2]) << 10
for _ in range(readers - 1):
    if os.fork() == 0:
        break
random.seed(os.getpid())
file, piece = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, size)
count = os.fstat(file).st_size // size
at = random.randrange(count)
while True:
    os.preadv(file, [piece], at % count * size)
    at += 1
