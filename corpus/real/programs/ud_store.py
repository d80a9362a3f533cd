"""A store that answers a steady number of requests a second and prints each second: clock, answered, ms of one. Arguments NAME=VALUE:
rate (requests a second); file, mb, blocks (random 4 KiB blocks read in a request, out of the first mb of the file, which it reads once before
it starts); cold=1 (it does not); wal (a log of 32 MB, in which a request writes 4 KiB and waits for them); append, kb (a file that a
request appends to); cpu (ms of computing of a request); swell, pace (MB of an internal cache that it fills at pace MB/s as soon as
/tmp/swell exists); name (of the process)."""
import os
import random
import sys
import threading
import time

given = dict(word.split("=", 1) for word in sys.argv[1:])
if "name" in given:
    with open("/proc/self/comm", "w") as own:
        own.write(given["name"])
rate, blocks, cpu = float(given["rate"]), int(given.get("blocks", 0)), float(given.get("cpu", 0)) / 1000
done, spent, held = 0, 0.0, []
if blocks:
    size = int(given["mb"]) << 20
    data = os.open(given["file"], os.O_RDONLY)
    if "cold" not in given:
        for at in range(0, size, 1 << 20):
            os.pread(data, 1 << 20, at)
if "wal" in given:
    wal, place = os.open(given["wal"], os.O_CREAT | os.O_RDWR), 0
    for at in range(0, 32 << 20, 1 << 20):
        os.pwrite(wal, bytes(1 << 20), at)
    os.fsync(wal)
if "append" in given:
    feed, piece = os.open(given["append"], os.O_CREAT | os.O_WRONLY | os.O_APPEND), os.urandom(int(given["kb"]) << 10)


def report():
    answered, busy, now = 0, 0.0, int(time.time())
    while True:
        time.sleep(max(0, now + 1 - time.time()))
        count, sum_ = done - answered, spent - busy
        answered, busy = done, spent
        print(now, count, *([round(sum_ / count * 1000, 1)] if count > 0 else []), flush=True)
        now += 1


def swelling():
    while not os.path.exists("/tmp/swell"):
        time.sleep(0.2)
    for _ in range(int(given["swell"])):
        held.append(bytearray(b"x") * 1048576)
        time.sleep(1 / float(given["pace"]))


threading.Thread(target=report, daemon=True).start()
if "swell" in given:
    threading.Thread(target=swelling, daemon=True).start()
due = time.time()
while True:
    time.sleep(max(0, due - time.time()))
    began = time.time()
    for _ in range(blocks):
        os.pread(data, 4096, random.randrange(size >> 12) << 12)
    if "wal" in given:
        os.pwrite(wal, bytes(4096), place << 12)
        os.fdatasync(wal)
        place = (place + 1) % 8192
    if "append" in given:
        os.write(feed, piece)
    if cpu:
        end = time.thread_time() + cpu
        while time.thread_time() < end:
            pass
    done, spent = done + 1, spent + time.time() - began
    due = max(due + 1 / rate, time.time() - 0.5)
