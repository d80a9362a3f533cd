"""A document store with a cache of its own. Arguments: `serve` or `fill`, MiB. `serve` has filled its cache when it begins and answers ten requests a
second, each of which looks at 80 places of it, and prints clock, requests and ms of each. `fill` fills its cache, 20 MB in each second, and looks at many
places of what it has, for no client that anybody measures."""
import random
import sys
import time

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("mongod")
MIB = 1 << 20
size, cache = int(sys.argv[2]), []


def look(places):
    for _ in range(places):
        cache[random.randrange(len(cache))][random.randrange(256) << 12] ^= 1


if sys.argv[1] == "serve":
    cache = [bytearray(b"d") * MIB for _ in range(size)]
    g_steady.serve(lambda: look(80), 10)
while True:
    if len(cache) < size:
        cache.append(bytearray(b"s") * MIB)
    look(200)
    time.sleep(0.05)
