"""Queue runs of a mail server: at once all deferred messages are tried again, each written anew, synced and renamed.
Arguments: the spool, messages at once, seconds of a run, seconds between two."""
import os
import sys
import threading
import time

spool, count, run, pause = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
with open("/proc/self/comm", "w") as comm:
    comm.write("qmgr")
os.makedirs(spool, exist_ok=True)
folder = os.open(spool, os.O_RDONLY)


def attempt(number, until):
    while time.time() < until:
        path = f"{spool}/{number}"
        file = os.open(path + ".new", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
        os.write(file, b"Status: 4.4.1 deferred\n" * 300)
        os.fsync(file)
        os.close(file)
        os.rename(path + ".new", path)
        os.fsync(folder)


while True:
    until = time.time() + run
    tries = [threading.Thread(target=attempt, args=(number, until)) for number in range(count)]
    for one in tries:
        one.start()
    for one in tries:
        one.join()
    time.sleep(pause)
