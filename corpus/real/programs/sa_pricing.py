"""A service of prices and its supervisor. The worker loads MB of a file into memory, 20 MB a second, and answers then; the supervisor asks it and starts another when it
is gone. Arguments: file, MB, oom_score_adj of the worker, requests a second. Prints each second CLOCK, requests, ms of one."""
import os
import random
import socket
import sys
import time

import sa_pages

path, size, adjust, rate = sys.argv[1], int(sys.argv[2]), sys.argv[3], float(sys.argv[4])
worker = None


def adjusted(value):
    with open("/proc/self/oom_score_adj", "w") as score:
        score.write(value)


def work(link):
    sa_pages.named("pricing")
    adjusted(adjust)
    with open(path, "rb", 0) as file:
        prices = []
        for _ in range(size):
            prices.append(bytearray(file.read(1 << 20)))
            time.sleep(0.05)
    while link.recv(1):
        for _ in range(20):
            prices[random.randrange(size)][random.randrange(1 << 20)] += 0
        link.send(b"a")
    os._exit(0)


def start():
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if not pid:
        ours.close()
        work(theirs)
    theirs.close()
    return pid, ours


def ask():
    global worker
    while True:
        worker = worker or start()
        try:
            worker[1].send(b"q")
            if worker[1].recv(1):
                return
        except OSError:
            pass
        worker[1].close()
        os.waitpid(worker[0], 0)
        worker = None
        time.sleep(1)


adjusted("-900")
sa_pages.named("supervise")
ask()
sa_pages.serve(ask, rate)
