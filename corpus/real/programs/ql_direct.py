"""A store of vectors answers 15 searches a second, each with 2 reads of 4 KB at random places of a file, around the page cache. Argument: the file.
Prints clock, searches and ms of one, every second."""
import mmap
import os
import random
import sys
import threading
import time

store, room = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 4096)
blocks, state = os.fstat(store).st_size // 4096, [0, 0.0]


def report():
    while True:
        time.sleep(1 - time.time() % 1)
        (done, took), state[:] = state, [0, 0.0]
        print(int(time.time()), done, *([round(took / done * 1000, 1)] if done else []), flush=True)


threading.Thread(target=report, daemon=True).start()
due = time.time()
while True:
    began = time.time()
    for _ in range(2):
        os.preadv(store, [room], random.randrange(blocks) * 4096)
    state[0], state[1] = state[0] + 1, state[1] + time.time() - began
    due = max(due + 1 / 15, time.time() - 0.1)
    time.sleep(max(0, due - time.time()))
