"""A chat server loads its rooms into memory, 15 MB a second, and then delivers 20 messages a second, each of which looks at rooms. When it is killed it is
started again after two seconds. Argument: the MB. Prints in each second clock, messages and ms of each."""
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
    while True:
        pid = os.fork()
        if pid == 0:
            break
        os.waitpid(pid, 0)
        time.sleep(2)
    comm("chatserver")
    rooms = []
    for _ in range(int(sys.argv[1])):
        rooms.append(bytearray(b"c") * (1 << 20))
        time.sleep(1 / 15)

    def deliver():
        for _ in range(40):
            random.choice(rooms)[random.randrange(1 << 20)] = 7

    paced(0, 20, deliver)
report(1)
