"""A program of a desktop that holds MB of memory and answers 20 clicks a second, each of which touches some pages of it at random.
Arguments: the name, the MB, the pages. Prints in each second clock, clicks and their ms."""
import random
import sys

import vd_desk

with open("/proc/self/comm", "w") as comm:
    comm.write(sys.argv[1])
size = int(sys.argv[2]) << 20
memory = bytearray(b"m" * 4096) * (size >> 12)


def click():
    for _ in range(int(sys.argv[3])):
        memory[random.randrange(size)] = 7


vd_desk.serve(click, 20)
