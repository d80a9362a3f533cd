"""Serves segments of films: at the beginning of each second ten players ask for one of 48 KB each, read around the page cache by two threads."""
import mmap
import os
import queue
import random
import threading
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("originserver")
film = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT)
waiting, took = queue.SimpleQueue(), []


def work():
    room = mmap.mmap(-1, 49152)
    while True:
        came = waiting.get()
        os.preadv(film, [room], random.randrange(11000) * 49152)
        took.append(time.time() - came)


for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
while True:
    time.sleep(1 - time.time() % 1)
    told = took[:]
    del took[: len(told)]
    print(int(time.time()), len(told), *([round(sum(told) / len(told) * 1000, 1)] if told else []), flush=True)
    for _ in range(10 if waiting.qsize() < 30 else 0):
        waiting.put(time.time())
