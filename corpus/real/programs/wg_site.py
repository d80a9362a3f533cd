"""A site that keeps its objects in a heap and looks up four pages of an index for each request, 25 requests a second. Arguments: the index, its MB,
MB of the heap. On SIGUSR2 it starts its successor, which loads a heap of the same size and waits to take over; the old one goes on serving."""
import os
import random
import signal
import subprocess
import sys
import time

import pace

PAGE = 4096


def heap(size):
    return [bytearray(os.urandom(PAGE)) * 256 for _ in range(size)]


if sys.argv[1] == "successor":
    held = heap(int(sys.argv[2]))
    while True:
        for block in held:
            block[random.randrange(len(block))] = 1
        time.sleep(1)

path, size, objects = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with open("/bulk/media/part1", "rb") as source, open(path, "wb") as index:
    for _ in range(size):
        index.write(source.read(1 << 20))
    index.flush()
    os.fsync(index.fileno())
    os.posix_fadvise(source.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
held = heap(objects)
children = []
signal.signal(signal.SIGUSR2, lambda *_: children.append(subprocess.Popen([sys.executable, sys.argv[0], "successor", str(objects)])))
file = os.open(path, os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def request():
    for _ in range(4):
        os.pread(file, PAGE, random.randrange(size << 8) * PAGE)
    held[random.randrange(objects)][random.randrange(1 << 20)] = 1


pace.serve(request, interval=0.04)
