"""Takes events and appends them to files, 48 times a second 64 KB, without syncing. Argument: the folder. Prints clock, appends and ms of one,
every second."""
import os
import sys
import threading
import time

os.makedirs(sys.argv[1], exist_ok=True)
events = os.urandom(65536)
state = [0, 0.0]


def report():
    while True:
        time.sleep(1 - time.time() % 1)
        (done, took), state[:] = state, [0, 0.0]
        print(int(time.time()), done, *([round(took / done * 1000, 1)] if done else []), flush=True)


threading.Thread(target=report, daemon=True).start()
due, log = time.time(), os.open(sys.argv[1] + "/events", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
while True:
    began = time.time()
    os.write(log, events)
    state[0], state[1] = state[0] + 1, state[1] + time.time() - began
    due = max(due + 1 / 48, time.time() - 0.05)
    time.sleep(max(0, due - time.time()))
