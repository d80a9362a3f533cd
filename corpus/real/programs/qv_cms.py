"""A content management system: a child keeps MB of objects and answers ten requests a second, each from some of them; a parent counts, and starts the
child again 15 s after its end. Argument: MB. The parent prints clock, requests and ms of each, once a second."""
import mmap
import os
import random
import struct
import sys
import time

size = int(sys.argv[1]) << 20
shared = mmap.mmap(-1, 4096)


def serve():
    with open("/proc/self/comm", "w") as comm:
        comm.write("cms")
    objects = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for at in range(0, size, 4096):
        objects[at] = 1
    due = time.time()
    while True:
        began = time.time()
        for _ in range(50):
            objects[random.randrange(size)] = 2
        count, took = struct.unpack("qd", shared[:16])
        shared[:16] = struct.pack("qd", count + 1, took + time.time() - began)
        due = max(due + 0.1, time.time() - 0.1)
        time.sleep(max(0, due - time.time()))


def start():
    child = os.fork()
    if child == 0:
        serve()
    return child


child, again, seen, spent = start(), None, 0, 0.0
while True:
    time.sleep(1 - time.time() % 1)
    count, took = struct.unpack("qd", shared[:16])
    served = count - seen
    print(int(time.time()), served, *([round((took - spent) / served * 1000, 1)] if served else []), flush=True)
    seen, spent = count, took
    if child and os.waitpid(child, os.WNOHANG)[0]:
        child, again = None, time.time() + 15
    if child is None and time.time() > again:
        child = start()
