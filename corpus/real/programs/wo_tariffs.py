"""Rates calls with random rows of a file: of its first MiB until /tmp/newyear exists, of the MiB from another place on afterwards. Arguments: file,
MiB of the old year, first MiB of the new one, MiB of the new one."""
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pace

path, old, first, new = sys.argv[1], *(int(value) << 20 for value in sys.argv[2:5])
with open("/proc/self/comm", "w") as comm:
    comm.write("tariffd")
file = os.open(path, os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def rate():
    start, size = (first, new) if os.path.exists("/tmp/newyear") else (0, old)
    for _ in range(6):
        os.pread(file, 4096, start + random.randrange(size // 4096) * 4096)


pace.serve(rate)
