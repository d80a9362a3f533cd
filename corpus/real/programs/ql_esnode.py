"""A search node: 20 searches a second, each of which computes some ms. When a file of that name appears, it starts merges, one thread for each
shard, that compute without end. Arguments: the file, the merges, ms of a search. Prints clock, searches and ms of one, every second."""
import os
import sys
import threading
import time
import zlib

flag, merges, cost = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])


def work(count):
    value = 1
    for n in range(count):
        value = value * 31 % 1000003


def merge():
    with open("/proc/self/comm", "w") as comm:
        comm.write("lucene-merge")
    segment = os.urandom(200000) + bytes(200000)
    while True:
        zlib.decompress(zlib.compress(segment, 6))


began, count = time.process_time(), 0
while time.process_time() - began < 0.5:
    work(1000)
    count += 1000
each = int(count / 0.5 * cost / 1000)
state = [0, 0.0]


def report():
    while True:
        time.sleep(1 - time.time() % 1)
        (done, took), state[:] = state, [0, 0.0]
        print(int(time.time()), done, *([round(took / done * 1000, 1)] if done else []), flush=True)


threading.Thread(target=report, daemon=True).start()
due, merging = time.time(), False
while True:
    if not merging and os.path.exists(flag):
        merging = True
        for _ in range(merges):
            if os.fork() == 0:
                merge()
    began = time.time()
    work(each)
    state[0], state[1] = state[0] + 1, state[1] + time.time() - began
    due = max(due + 0.05, time.time() - 0.05)
    time.sleep(max(0, due - time.time()))
