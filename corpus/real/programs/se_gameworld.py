"""A game server: a world of MB, loaded at MB a second, then ticks a second that each change so many blocks anywhere in it. Arguments: the MB, MB a second,
ticks, blocks. Prints clock, ticks and ms of each once a second."""
import random
import sys
import time

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("ShooterGame")
size, blocks = int(sys.argv[1]), int(sys.argv[4])
world = []
for _ in range(size):
    world.append(bytearray(b"w") * 1048576)
    time.sleep(1 / float(sys.argv[2]))


def tick():
    for _ in range(blocks):
        world[random.randrange(size)][random.randrange(256) << 12] = 7


g_steady.serve(tick, float(sys.argv[3]))
