"""A proxy of packages: four clients ask for one after the other and think for 0.12 s between two; a package is ten blocks of 8 KB at random,
among the first MB of a file that it has read before. Prints in each second how many came, and their mean ms. Argument: the MB."""
import os
import random
import sys
import threading
import time

file, size, took = os.open("/data/lite.db", os.O_RDONLY), int(sys.argv[1]), []
for at in range(size):
    os.pread(file, 1 << 20, at << 20)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def client():
    while True:
        began = time.time()
        for _ in range(10):
            os.pread(file, 8192, random.randrange(size * 128) << 13)
        took.append(time.time() - began)
        time.sleep(random.uniform(0.06, 0.18))


for _ in range(4):
    threading.Thread(target=client, daemon=True).start()
while True:
    time.sleep(1 - time.time() % 1)
    told, took = took, []
    print(int(time.time()), len(told), *([round(sum(told) / len(told) * 1000, 1)] if told else []), flush=True)
