"""A message relay with a supervisor: the supervisor passes each request to a worker with a large heap, and starts the worker again 12 s after it was killed. Arguments:
MiB of the heap, requests a second. Prints clock, requests, ms."""
import mmap
import os
import random
import sys
import time

import g_steady

size = int(sys.argv[1]) << 20
worker = None


def work(reading, writing):
    with open("/proc/self/comm", "w") as comm:
        comm.write("relayd")
    heap = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for at in range(0, size, 4096):
        heap[at] = 1
    while os.read(reading, 1):
        for _ in range(20):
            heap[random.randrange(size // 4096) * 4096] = 2
        os.write(writing, b"d")
    os._exit(0)


def start():
    asked, ask = os.pipe()
    answer, answered = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(ask)
        os.close(answer)
        work(asked, answered)
    os.close(asked)
    os.close(answered)
    return pid, ask, answer


def request():
    global worker
    while True:
        try:
            os.write(worker[1], b"r")
            if os.read(worker[2], 1):
                return
        except BrokenPipeError:
            pass
        os.close(worker[1])
        os.close(worker[2])
        os.waitpid(worker[0], 0)
        time.sleep(12)
        worker = start()


worker = start()
request()
g_steady.serve(request, float(sys.argv[2]))
