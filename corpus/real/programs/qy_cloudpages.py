"""A family's cloud with MiB of objects in memory: fifteen pages a second, each of which uses 40 objects at random. Prints clock, pages and ms of each, once a
second. Argument: the MiB."""
import random
import sys

import vd_desk

with open("/proc/self/comm", "w") as comm:
    comm.write("cloud-php")
objects = [bytearray(b"o") * 1048576 for _ in range(int(sys.argv[1]))]


def request():
    for _ in range(40):
        block, at = random.choice(objects), random.randrange(256) << 12
        block[at] = (block[at] + 1) & 255


vd_desk.serve(request, 15, 3)
