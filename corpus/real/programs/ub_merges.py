"""Background merges of a table read their parts from the disk from beginning to end. Arguments: the file, MB of it, merges at a time."""
import os
import sys
import threading

path, size, merges = sys.argv[1], int(sys.argv[2]) << 20, int(sys.argv[3])
EACH = 128 << 10


def merge(number):
    file = os.open(path, os.O_RDONLY)
    first, last = size // merges * number, size // merges * (number + 1) - EACH
    buffer = [bytearray(EACH)]
    while True:
        for at in range(first, last, EACH):
            os.preadv(file, buffer, at)
        os.posix_fadvise(file, first, last + EACH - first, os.POSIX_FADV_DONTNEED)


for number in range(merges):
    threading.Thread(target=merge, args=(number,)).start()
