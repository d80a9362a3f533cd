"""A game server loads a world of MB, eleven seconds or so, and then serves ten ticks a second. When /tmp/go exists it saves every five seconds, for which it
copies the whole world in memory first. Prints in each second clock and ticks, 0 while it loads. Argument: the MB."""
import os
import random
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("worldserver")
world, now, done, saved = [], int(time.time()), 0, time.time()


def report():
    global now, done
    if int(time.time()) != now:
        print(now, done, flush=True)
        now, done = int(time.time()), 0


for _ in range(int(sys.argv[1])):
    world.append(bytearray(b"w") * (1 << 20))
    time.sleep(0.1)
    report()
saved = due = time.time()
while True:
    for _ in range(30):
        random.choice(world)[random.randrange(1 << 20)] = 7
    if time.time() - saved > 5 and os.path.exists("/tmp/go"):
        copy = [bytes(part) for part in world]
        saved = time.time()
        del copy
    done += 1
    due = max(due + 0.1, time.time() - 0.1)
    time.sleep(max(0, due - time.time()))
    report()
