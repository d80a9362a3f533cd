"""The editor of a game engine opens a project: twelve workers read its derived data, 32 KB at random, around the page cache and without a pause."""
import mmap
import os
import random
import threading

with open("/proc/self/comm", "w") as comm:
    comm.write("UnrealEditor")
data = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT)


def work():
    room = mmap.mmap(-1, 32768)
    while True:
        os.preadv(data, [room], random.randrange(16000) * 32768)


for _ in range(12):
    threading.Thread(target=work).start()
