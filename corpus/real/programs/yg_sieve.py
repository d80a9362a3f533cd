"""Ranks write a variable of small strided values into an array with data sieving, as ROMIO does: each reads 512 KB around the page cache, changes 8 bytes
of every 4 KB, and writes all of it back. Arguments: the array, the ranks, seconds between two pieces."""
import mmap
import os
import sys
import time

name, ranks, pause = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
for rank in range(1, ranks):
    if os.fork() == 0:
        break
else:
    rank = 0
with open("/proc/self/comm", "w") as comm:
    comm.write("flash_io")
array, piece = os.open(name, os.O_RDWR | os.O_DIRECT), mmap.mmap(-1, 1 << 19)
pieces = os.fstat(array).st_size >> 19
turn = rank
while True:
    os.preadv(array, [piece], turn % pieces << 19)
    for at in range(0, 1 << 19, 4096):
        piece[at : at + 8] = b"density."
    os.pwritev(array, [piece], turn % pieces << 19)
    turn += ranks
    time.sleep(pause)
