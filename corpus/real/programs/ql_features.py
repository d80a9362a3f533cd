"""A feature server: 20 requests a second, each of which reads 3 rows of 4 KB at random places of a file that it has read before. Argument: the file.
Prints clock, requests and ms of one, every second."""
import os
import random
import sys
import threading
import time

file, state = os.open(sys.argv[1], os.O_RDONLY), [0, 0.0]
rows = os.fstat(file).st_size // 4096
while os.read(file, 1 << 20):
    pass
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def report():
    while True:
        time.sleep(1 - time.time() % 1)
        (done, took), state[:] = state, [0, 0.0]
        print(int(time.time()), done, *([round(took / done * 1000, 1)] if done else []), flush=True)


threading.Thread(target=report, daemon=True).start()
due = time.time()
while True:
    began = time.time()
    for _ in range(3):
        os.pread(file, 4096, random.randrange(rows) * 4096)
    state[0], state[1] = state[0] + 1, state[1] + time.time() - began
    due = max(due + 0.05, time.time() - 0.1)
    time.sleep(max(0, due - time.time()))
