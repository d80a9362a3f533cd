"""Saves small states in three threads, so many a second each, as a desktop does: writes a new file and renames it over the old one, without a sync.
Arguments: the folder, states a second of a thread, KB of one."""
import os
import sys
import threading
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("statekeeper")
folder, rate, size = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]) << 10
os.makedirs(folder, exist_ok=True)


def keep(number):
    at, due = 0, time.time()
    while True:
        path = f"{folder}/{number}.{at % 200}"
        with open(path + ".new", "wb", 0) as file:
            file.write(os.urandom(64) * (size // 64))
        os.rename(path + ".new", path)
        at, due = at + 1, max(due + 1 / rate, time.time() - 1)
        time.sleep(max(0, due - time.time()))


for number in range(200):
    for thread in range(3):
        with open(f"{folder}/{thread}.{number}", "wb") as first:
            first.write(b"s")
for thread in range(3):
    threading.Thread(target=keep, args=(thread,)).start()
