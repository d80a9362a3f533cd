"""A packager reads segments of films anywhere in a file, ten a second, past the page cache: 256 KB each, and 1 MB each when /tmp/go exists.
Argument: the file. Prints in each second clock, segments and ms of each."""
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


size = os.path.getsize(sys.argv[1]) >> 20
for slot in range(2):
    if os.fork() == 0:
        comm("packager")
        file = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
        small, large = mmap.mmap(-1, 1 << 18), mmap.mmap(-1, 1 << 20)

        def segment():
            os.preadv(file, [large if os.path.exists("/tmp/go") else small], random.randrange(size) << 20)

        paced(slot, 5, segment)
report(2)
