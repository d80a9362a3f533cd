"""A cache of entries in memory: ten requests a second, each looks at and stamps 120 of them at random. Once /tmp/reload exists its configuration allows more, and it
loads those, 25 MB a second. Arguments: MB at first, MB then."""
import mmap
import os
import random
import sys
import threading
import time

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("entryd")
first, then = int(sys.argv[1]), int(sys.argv[2])
held = mmap.mmap(-1, then << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
pattern = random.randbytes(1 << 20)
size = 0


def load():
    global size
    held[size << 20 : size + 1 << 20] = pattern
    size += 1


def grow():
    while not os.path.exists("/tmp/reload"):
        time.sleep(0.2)
    while size < then:
        load()
        time.sleep(0.04)


def request():
    for _ in range(120):
        held[random.randrange(size << 8) << 12] = 7


while size < first:
    load()
threading.Thread(target=grow, daemon=True).start()
g_steady.serve(request, 10)
