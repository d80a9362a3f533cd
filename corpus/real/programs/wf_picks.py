"""Three training workers each load a sample of 16 KB around the page cache, and compute for 0.1 s (on another machine: they sleep); no rate is set."""
import mmap
import os
import random
import threading
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("sampler")
samples = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT)
took = []


def worker():
    room = mmap.mmap(-1, 16384)
    while True:
        began = time.time()
        os.preadv(samples, [room], random.randrange(35000) * 16384)
        took.append(time.time() - began)
        time.sleep(0.1)


for _ in range(3):
    threading.Thread(target=worker, daemon=True).start()
while True:
    time.sleep(1 - time.time() % 1)
    told = took[:]
    del took[: len(told)]
    print(int(time.time()), len(told), *([round(sum(told) / len(told) * 1000, 1)] if told else []), flush=True)
