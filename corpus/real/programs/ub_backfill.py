"""A new consumer group starts from the earliest offset: threads read partitions of old segments to the end, and again. Arguments: the file,
MB of it, partitions."""
import os
import sys
import threading

path, size, parts = sys.argv[1], int(sys.argv[2]) << 20, int(sys.argv[3])
EACH = 256 << 10


def fetch(part):
    file = os.open(path, os.O_RDONLY)
    first, last = size // parts * part, size // parts * (part + 1) - EACH
    buffer = [bytearray(EACH)]
    while True:
        for at in range(first, last, EACH):
            os.preadv(file, buffer, at)


for part in range(parts):
    threading.Thread(target=fetch, args=(part,)).start()
