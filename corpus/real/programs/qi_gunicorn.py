"""Workers of a web server in a container, which together answer 20 requests a second; each reads 8 blocks of 4 KB at random, among the first MB of a file that was
read before. There are two; when /tmp/go exists, eight. Each holds some MB of its own. The first prints clock, requests and ms of each for all. Arguments: the MB of
the file, the MB of a worker."""
import mmap
import os
import random
import struct
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("gunicorn")
size, own = map(int, sys.argv[1:])
counts = mmap.mmap(-1, 4096)
file = os.open("/data/lite.db", os.O_RDONLY)
for _ in range(2):
    for at in range(size):
        os.pread(file, 1 << 20, at << 20)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def work(number):
    random.seed(number)
    heap = [bytearray(b"w") * (1 << 20) for _ in range(own)]
    count, took, due = 0, 0.0, time.time()
    while True:
        began = time.time()
        for _ in range(8):
            os.pread(file, 4096, random.randrange(size * 256) << 12)
        heap[count % own][::4096] = b"r" * 256
        count, took = count + 1, took + time.time() - began
        struct.pack_into("qd", counts, number * 16, count, took)
        pause = (8 if os.path.exists("/tmp/go") else 2) / 20
        due = max(due + pause, time.time() - pause)
        time.sleep(max(0, due - time.time()))


def start(number):
    if not os.fork():
        work(number)


start(0)
start(1)
workers, last = 2, (0, 0.0)
while True:
    time.sleep(1 - time.time() % 1)
    every = list(struct.iter_unpack("qd", counts[:128]))
    now = sum(one[0] for one in every), sum(one[1] for one in every)
    done = now[0] - last[0]
    print(int(time.time()), done, *([round((now[1] - last[1]) / done * 1000, 1)] if done else []), flush=True)
    last = now
    if workers == 2 and os.path.exists("/tmp/go"):
        for workers in range(2, 8):
            start(workers)
