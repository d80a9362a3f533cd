"""Serves pages from a file, each of which reads 16 KB at a few places anywhere in its first MB. When /tmp/go exists it reads the other file, if one is given.
Arguments: name, file, MB, pages a second, places, other file. Prints in each second clock, pages and ms of each."""
import mmap
import os
import random
import struct
import sys
import time

# Requests and their ms, as one slot for each worker; the workers and the reporter share it.
COUNTS = mmap.mmap(-1, 4096)


def served(slot, ms):
    count, total = struct.unpack_from("Qd", COUNTS, slot * 16)
    struct.pack_into("Qd", COUNTS, slot * 16, count + 1, total + ms)


def report(slots):
    """Prints for each second clock, requests and ms of each."""
    old, spent, now = 0, 0.0, int(time.time())
    while True:
        time.sleep(max(0.01, now + 1 - time.time()))
        clock = int(time.time())
        if clock == now:
            continue
        rows = [struct.unpack_from("Qd", COUNTS, slot * 16) for slot in range(slots)]
        count, total = sum(row[0] for row in rows), sum(row[1] for row in rows)
        print(now, count - old, *([round((total - spent) / (count - old), 1)] if count > old else []), flush=True)
        for missed in range(now + 1, clock):
            print(missed, 0, flush=True)
        old, spent, now = count, total, clock


def paced(slot, rate, request):
    """Serves requests at a rate. A late one counts from when it was due, half a second at most."""
    due = time.time()
    while True:
        time.sleep(max(0, due - time.time()))
        request()
        served(slot, (time.time() - due) * 1000)
        due = max(due + 1 / rate, time.time() - 0.5)


def comm(name):
    with open("/proc/self/comm", "w") as file:
        file.write(name)


if os.fork() == 0:
    comm(sys.argv[1])
    size, rate, places = (int(value) for value in sys.argv[3:6])
    files = [os.open(path, os.O_RDONLY) for path in sys.argv[2:3] + sys.argv[6:7]]
    for file in files:
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)

    def page():
        file = files[-1] if os.path.exists("/tmp/go") else files[0]
        for _ in range(places):
            os.pread(file, 16384, random.randrange(size << 6) << 14)

    paced(0, rate, page)
report(1)
