"""The world of a game server in which players crammed animals: in each tick each looks at each other one. Arguments: the animals before and after /tmp/go exists."""
import os
import random
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("gameworld")
before, after = int(sys.argv[1]), int(sys.argv[2])
places = [(random.random(), random.random()) for _ in range(max(before, after))]
due = time.time()
while True:
    animals = places[: after if os.path.exists("/tmp/go") else before]
    near = 0
    for x, y in animals:
        for other, there in animals:
            near += abs(x - other) + abs(y - there) < 0.1
    due = max(due + 0.1, time.time() - 0.1)
    time.sleep(max(0, due - time.time()))
