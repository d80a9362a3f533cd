"""A till sells four times a second: it reads two places of the price file past the page cache, and writes the sale to its journal and syncs it.
Arguments: price file, journal. Prints in each second clock, sales and ms of each."""
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
    comm("tillpos")
    prices, page = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 4096)
    places = os.fstat(prices).st_size >> 12
    journal = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def sale():
        for _ in range(2):
            os.preadv(prices, [page], random.randrange(places) << 12)
        os.write(journal, b"s" * 400)
        os.fdatasync(journal)

    paced(0, 4, sale)
report(1)
