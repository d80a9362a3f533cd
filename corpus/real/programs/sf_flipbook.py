"""A player of image sequences loops over frames of 2 MB that lie one after the other in a file, 14 a second; it has looked at all of them once and at the first
MB of them, the chosen range, twice more. When /tmp/range exists it loops over all. Prints clock, frames and ms of each, every second. Arguments: the file, MB of
the chosen range, MB of all frames."""
import os
import sys

import xd_watch

file = os.open(sys.argv[1], os.O_RDONLY)
short, whole = int(sys.argv[2]) // 2, int(sys.argv[3]) // 2
picture = bytearray(2 << 20)
at = 0


def show(number):
    os.preadv(file, [picture], number << 21)


def setup():
    for end in (whole, short, short):
        for number in range(end):
            show(number)


def frame():
    global at
    show(at)
    at = (at + 1) % (whole if os.path.exists("/tmp/range") else short)


xd_watch.serve(setup, frame, 14, "djv")
