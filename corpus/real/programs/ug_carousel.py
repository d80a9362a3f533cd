"""Sends the image of a classroom's computers in a loop, 60 MB a second in pieces of 1 MB, so that a computer may join at any time. Reads all of the larger
image once at first. Arguments: the file, the MB of the image, the MB of the image once the file /tmp/newimage is there.
Prints in each second clock, pieces and their ms."""
import os
import sys

import vd_desk

with open("/proc/self/comm", "w") as comm:
    comm.write("udp-sender")
file, at, size = os.open(sys.argv[1], os.O_RDONLY), 0, int(sys.argv[2])
for piece in [*range(int(sys.argv[3])), *range(size), *range(size)]:
    os.pread(file, 1 << 20, piece << 20)


def send():
    global at, size
    os.pread(file, 1 << 20, at << 20)
    at = (at + 1) % size
    if at % 20 == 0 and os.path.exists("/tmp/newimage"):
        size = int(sys.argv[3])


vd_desk.serve(send, 60, 1)
