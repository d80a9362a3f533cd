"""A member of a pair of servers with its data in its own memory; a request changes 60 pages at random. Arguments: MiB, requests a second, name. Prints
in each second clock, requests and ms of each."""
import random
import sys

import g_steady

open("/proc/self/comm", "w").write(sys.argv[3])
size = int(sys.argv[1])
table = [bytearray(b"m") * 1048576 for _ in range(size)]


def request():
    for _ in range(60):
        table[random.randrange(size)][random.randrange(256) * 4096] ^= 1


g_steady.serve(request, float(sys.argv[2]))
