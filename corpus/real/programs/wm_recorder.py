"""A recorder of cameras: MB of frames in memory, of which it changes some at each of ten ticks a second. Argument: the MB."""
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("recorder")
frames = [bytearray(b"f") * (1 << 20) for _ in range(int(sys.argv[1]))]


def tick():
    for _ in range(40):
        frames[random.randrange(len(frames))][random.randrange(256) << 12] = 7


g_steady.serve(tick, 10)
