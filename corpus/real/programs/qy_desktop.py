"""A desktop runs from large libraries: a file of MiB that it maps as code. For each of 20 events a second it runs through 15 places of it. Prints clock, events
and ms of each, once a second. Arguments: the file, the MiB."""
import mmap
import os
import random
import sys

import vd_desk

with open("/proc/self/comm", "w") as comm:
    comm.write("gnome-shell")
size = int(sys.argv[2])
with open(sys.argv[1], "wb") as made:
    for _ in range(size):
        made.write(os.urandom(4096) * 256)
    made.flush()
    os.fsync(made.fileno())
os.chmod(sys.argv[1], 0o755)
file = os.open(sys.argv[1], os.O_RDONLY)
code = mmap.mmap(file, 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_EXEC)


def request():
    for _ in range(15):
        code[random.randrange(size << 8) << 12]


vd_desk.serve(request, 20, 2)
