"""A cache of a CDN at its full size. One process stores objects of 128 KB at a rate in a folder, which doubles when /tmp/go exists, and removes the oldest
so that 600 remain; the other serves 30 hits a second of the newest 200. Arguments: the folder, objects a second. Prints clock, hits and ms of each once a
second."""
import mmap
import os
import random
import sys
import time

import g_steady

folder, rate = sys.argv[1], float(sys.argv[2])
os.makedirs(folder, exist_ok=True)
shared = mmap.mmap(-1, 8)
body = os.urandom(1 << 17)


def store(number):
    with open(f"{folder}/{number}", "wb") as file:
        file.write(body)
    if number >= 600:
        os.unlink(f"{folder}/{number - 600}")
    shared[:] = number.to_bytes(8, "little")


for number in range(620):
    store(number)
if os.fork() == 0:
    with open("/proc/self/comm", "w") as name:
        name.write("cachemanager")
    while True:
        number += 1
        store(number)
        time.sleep(1 / rate / (2 if os.path.exists("/tmp/go") else 1))
with open("/proc/self/comm", "w") as name:
    name.write("edge")


def hit():
    newest = int.from_bytes(shared[:], "little")
    with open(f"{folder}/{newest - random.randrange(200)}", "rb", 0) as file:
        file.read()


g_steady.serve(hit, 30)
