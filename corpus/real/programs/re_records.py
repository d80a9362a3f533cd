"""Serves requests that each read pages at random places of its own file, which it wrote before and has in the page cache. Arguments: the name it shows,
the file, its MiB, requests a second, pages of a request. Prints in each second the clock, the requests and the ms of one."""
import os
import random
import sys
import threading
import time

name, path = sys.argv[1:3]
size, rate, pages = (int(value) for value in sys.argv[3:6])
with open("/proc/self/comm", "w") as comm:
    comm.write(name)
os.makedirs(os.path.dirname(path), exist_ok=True)
block = os.urandom(1048576)
with open(path, "wb") as out:
    for _ in range(size):
        out.write(block)
    out.flush()
    os.fsync(out.fileno())
file = os.open(path, os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
done, took, began = 0, 0.0, 0.0


def report():
    global done, took
    while True:
        time.sleep(1 - time.time() % 1)
        count, spent = done, took
        done, took = 0, 0.0
        waits = time.time() - began if began else 0
        print(int(time.time()) - 1, count, round((spent / count if count else waits) * 1000, 1), flush=True)


threading.Thread(target=report, daemon=True).start()
due = time.time()
while True:
    began = time.time()
    for _ in range(pages):
        os.pread(file, 4096, random.randrange(size * 256) * 4096)
    took, done, began = took + time.time() - began, done + 1, 0.0
    due = max(due + 1 / rate, time.time() - 0.2)
    time.sleep(max(0, due - time.time()))
