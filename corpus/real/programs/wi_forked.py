"""An application server loads MB and forks workers, which share it. They get 12 requests a second, each reads pages of the heap at random. From when
/tmp/go exists, each worker marks all objects, a write to each page, every eight requests. Arguments: the MB, the workers."""
import os
import random
import sys

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("passenger-app")
size, workers = int(sys.argv[1]) << 20, int(sys.argv[2])
heap = bytearray(random.randbytes(1 << 20)) * (size >> 20)
asked, done = os.pipe(), os.pipe()


def worker():
    count = 0
    while os.read(asked[0], 1):
        for _ in range(40):
            heap[random.randrange(size)]
        count += 1
        if count % 8 == 0 and os.path.exists("/tmp/go"):
            heap[::4096] = b"m" * (size >> 12)
        os.write(done[1], b"k")


for _ in range(workers):
    if not os.fork():
        worker()


def request():
    os.write(asked[1], b"r")
    os.read(done[0], 1)


vd_desk.serve(request, 12, workers)
