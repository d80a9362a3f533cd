"""An origin of films: ten players, each of which fetches a part of 64 KB, four reads of 16 KB around the page cache, and waits a second before the next. Prints
in each second clock, parts and mean ms, and 0 when none was served."""
import mmap
import os
import random
import threading
import time

with open("/proc/self/comm", "w") as name:
    name.write("vodorigin")
file = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT)
took = []


def player():
    room = mmap.mmap(-1, 16384)
    while True:
        time.sleep(random.uniform(0.8, 1.2))
        began, first = time.time(), random.randrange(7000) * 4
        for block in range(4):
            os.preadv(file, [room], (first + block) * 16384)
        took.append(time.time() - began)


for _ in range(10):
    threading.Thread(target=player, daemon=True).start()
while True:
    time.sleep(1 - time.time() % 1)
    told = took[:]
    del took[: len(told)]
    print(int(time.time()), len(told), *([round(sum(told) / len(told) * 1000, 1)] if told else []), flush=True)
