"""An object cache in memory: each request gets 40 small objects at random among so many MB. Arguments: MB, requests a second."""
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("objcached")
size = int(sys.argv[1])
slabs = [bytearray(b"o") * 1048576 for _ in range(size)]


def multiget():
    for _ in range(40):
        slabs[random.randrange(size)][random.randrange(256) << 12] = 1


g_steady.serve(multiget, int(sys.argv[2]))
