"""Ranks by 200 random blocks a second out of 24 MB. When /tmp/go exists, a child loads a new model of 150 MB from a file at 8 MB/s, checks it,
and ends."""
import os
import random
import time

import pace

file, child = os.open("/data/lite.db", os.O_RDONLY), None
for _ in range(2):
    for at in range(24):
        os.pread(file, 1 << 20, at << 20)


def load():
    with open("/bulk/media/part2", "rb", 0) as model:
        layers = []
        while len(layers) < 150:
            layers.append(model.read(1 << 20))
            time.sleep(0.125)
    time.sleep(5)
    os._exit(0)


def block():
    os.pread(file, 4096, random.randrange(6144) * 4096)


def ranked():
    global child
    if child is None and os.path.exists("/tmp/go"):
        child = os.fork()
        if not child:
            load()
    for _ in range(10):
        block()


pace.serve(ranked)
