"""Scores 15 customers a second out of a table in its own memory: 30 pages of it at random for each. Argument: MB of the table."""
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("scorer")
size = int(sys.argv[1])
table = [bytearray(b"s") * (1 << 20) for _ in range(size)]


def score():
    total = 0
    for _ in range(30):
        total += table[random.randrange(size)][random.randrange(256) * 4096]


g_steady.serve(score, 15)
