"""A store of features: each half second a batch of rows is asked for, and two threads read blocks of 8 KB for each row, among the first MB of a
file that it has read before. Arguments: the rows of a batch, blocks of a row, MB."""
import os
import queue
import random
import sys
import threading
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("featstore")
rows, reads, size = map(int, sys.argv[1:4])
base = os.open("/data/lite.db", os.O_RDONLY)
for _ in range(2):
    for at in range(size):
        os.pread(base, 1 << 20, at << 20)
os.posix_fadvise(base, 0, 0, os.POSIX_FADV_RANDOM)
waiting, took = queue.SimpleQueue(), []


def work():
    while True:
        came = waiting.get()
        for _ in range(reads):
            os.pread(base, 8192, random.randrange(size * 128) * 8192)
        took.append(time.time() - came)


for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
half = 0
while True:
    time.sleep(0.5 - time.time() % 0.5)
    half += 1
    if half % 2 == 0:
        told = took[:]
        del took[: len(told)]
        print(int(time.time()), len(told), *([round(sum(told) / len(told) * 1000, 1)] if told else []), flush=True)
    for _ in range(rows if waiting.qsize() < rows * 4 else 0):
        waiting.put(time.time())
