"""A service that answers by pages of a file. Arguments: requests per second, file, MiB of it, pages per request, `cached` or `direct`."""
import mmap
import os
import random
import sys
import time

rate, name, size, pages, way = float(sys.argv[1]), sys.argv[2], int(sys.argv[3]) << 20, int(sys.argv[4]), sys.argv[5]
file = os.open(name, os.O_RDONLY | (os.O_DIRECT if way == "direct" else 0))
page = mmap.mmap(-1, 4096)
if way == "cached":
    # Twice: what is read again and again is active.
    for _ in range(2):
        for at in range(0, size, 1 << 20):
            os.pread(file, 1 << 20, at)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
due, second, count, spent = time.time(), int(time.time()), 0, 0.0
while True:
    due = max(due + 1 / rate, time.time() - 1)
    if (wait := due - time.time()) > 0:
        time.sleep(wait)
    began = time.time()
    for _ in range(pages):
        os.preadv(file, [page], random.randrange(size >> 12) << 12)
    spent, count = spent + time.time() - began, count + 1
    if int(time.time()) != second:
        print(second, count, f"{spent / count * 1000:.1f}", flush=True)
        second, count, spent = int(time.time()), 0, 0.0
