"""A region server: 20 gets a second, each of which reads 3 blocks of 4 KB at random places of a store file that it has read before. Argument: the
file. Prints clock, gets and ms of one, every second."""
import os
import random
import sys
import threading
import time

store = os.open(sys.argv[1], os.O_RDONLY)
blocks = os.fstat(store).st_size // 4096
while os.read(store, 1 << 20):
    pass
os.posix_fadvise(store, 0, 0, os.POSIX_FADV_RANDOM)
state = [0, 0.0]


def report():
    while True:
        time.sleep(1 - time.time() % 1)
        (gets, took), state[:] = state, [0, 0.0]
        print(int(time.time()), gets, *([round(took / gets * 1000, 1)] if gets else []), flush=True)


threading.Thread(target=report, daemon=True).start()
due = time.time()
while True:
    began = time.time()
    for _ in range(3):
        os.pread(store, 4096, random.randrange(blocks) * 4096)
    state[0], state[1] = state[0] + 1, state[1] + time.time() - began
    due = max(due + 0.05, time.time() - 0.05)
    time.sleep(max(0, due - time.time()))
