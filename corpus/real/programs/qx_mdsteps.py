"""A simulation: 20 steps a second, each of which appends 100 KB to a trajectory, never synced; the file is used again from its beginning after 60
MB. Prints clock, steps and ms of each once a second. Argument: the trajectory."""
import os
import sys
import threading
import time

file = os.open(sys.argv[1], os.O_CREAT | os.O_RDWR)
frame = os.urandom(100000)
steps, took = 0, 0.0


def log():
    last, spent = 0, 0.0
    while True:
        time.sleep(1 - time.time() % 1)
        now, ms = steps, took
        print(int(time.time() - 0.5), now - last, round((ms - spent) / max(1, now - last) * 1000, 1), flush=True)
        last, spent = now, ms


threading.Thread(target=log, daemon=True).start()
due = time.time()
while True:
    began = time.time()
    os.pwrite(file, frame, steps % 600 * len(frame))
    took += time.time() - began
    steps += 1
    due = max(due + 0.05, time.time() - 0.05)
    time.sleep(max(0, due - time.time()))
