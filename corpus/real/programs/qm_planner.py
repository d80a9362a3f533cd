"""A planner answers ten requests a second, each from 200 pages at random of its plan of 60 MB. From when /tmp/go exists its plan also takes what is
available of the host's memory and MB more. Argument: the MB."""
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("planner")
plan, more = [bytearray(os.urandom(4096) * 256) for _ in range(60)], None


def available():
    with open("/proc/meminfo") as file:
        for line in file:
            if line.startswith("MemAvailable"):
                return int(line.split()[1]) >> 10


def request():
    global more
    if more is None and os.path.exists("/tmp/go"):
        more = available() + int(sys.argv[1])
    if more:
        for _ in range(min(more, 4)):
            plan.append(bytearray(os.urandom(4096) * 256))
            more -= 1
    for _ in range(200):
        random.choice(plan)[random.randrange(256) << 12] = 1


g_steady.serve(request, 10)
