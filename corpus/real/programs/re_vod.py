"""A media server that answers range requests of players: for each it opens the film, reads 256 KiB at some place in pieces of 32 KiB, and closes it.
Arguments: the film, ranges a second. Prints in each second the clock, the ranges and the ms of one."""
import os
import random
import sys
import threading
import time

film, rate = sys.argv[1], int(sys.argv[2])
with open("/proc/self/comm", "w") as comm:
    comm.write("vodserver")
places = list(range(os.stat(film).st_size // 262144 - 1))
random.shuffle(places)

done, took, began = 0, 0.0, 0.0


def report():
    global done, took
    while True:
        time.sleep(1 - time.time() % 1)
        count, spent = done, took
        done, took = 0, 0.0
        waits = time.time() - began if began else 0
        print(int(time.time()) - 1, count, round((spent / count if count else waits) * 1000, 1), flush=True)


threading.Thread(target=report, daemon=True).start()
due = time.time()
while True:
    began = time.time()
    file = os.open(film, os.O_RDONLY)
    start = places[0] * 262144
    places.append(places.pop(0))
    for piece in range(8):
        os.pread(file, 32768, start + piece * 32768)
    os.close(file)
    took, done, began = took + time.time() - began, done + 1, 0.0
    due = max(due + 1 / rate, time.time() - 0.2)
    time.sleep(max(0, due - time.time()))
