"""A service of a laboratory, one client, paced. Arguments: its name, requests per second, and one of
  file PATH MB READS    random pages of the first MB of a file, which is opened for each request and, if it is cached, looked through first
  heap MB PAGES         random pages of an array in memory
  frames FOLDER KB      appends frames of so many KB to segments of 64 MB, of which it keeps two
Prints in each second the clock, the requests served and the ms of one."""
import os
import random
import sys
import threading
import time

PAGE = 4096


def file(path, size, reads):
    size, reads = int(size) << 20, int(reads)
    buffer, part = [bytearray(PAGE)], [bytearray(1 << 20)]
    handle = os.open(path, os.O_RDONLY)
    for _ in range(2):
        for at in range(0, size, 1 << 20):
            os.preadv(handle, part, at)
    os.close(handle)

    def request():
        handle = os.open(path, os.O_RDONLY)
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_RANDOM)
        for _ in range(reads):
            os.preadv(handle, buffer, random.randrange(size // PAGE) * PAGE)
        os.close(handle)

    return request


def heap(size, touches):
    import numpy

    cells = numpy.ones(int(size) << 17)
    chooser = numpy.random.default_rng(1)

    def request():
        cells[chooser.integers(0, len(cells), int(touches))] += 1

    return request


def frames(folder, size):
    os.makedirs(folder, exist_ok=True)
    frame = os.urandom(1024) * int(size)
    state = {"number": 0, "left": 0, "file": None}

    def request():
        if state["left"] < len(frame):
            if state["file"] is not None:
                os.close(state["file"])
            state["number"] += 1
            state["left"] = 64 << 20
            state["file"] = os.open(f"{folder}/{state['number']}.raw", os.O_CREAT | os.O_WRONLY)
            if state["number"] > 2:
                os.unlink(f"{folder}/{state['number'] - 2}.raw")
        os.write(state["file"], frame)
        state["left"] -= len(frame)

    return request


served = [0, 0.0]
lock = threading.Lock()


def report():
    now = int(time.time())
    while True:
        time.sleep(max(0.0, now + 1 - time.time()))
        with lock:
            done, took = served
            served[:] = [0, 0.0]
        print(now, done, *([round(took / done * 1000, 1)] if done else []), flush=True)
        now += 1


with open("/proc/self/comm", "w") as comm:
    comm.write(sys.argv[1])
interval = 1 / float(sys.argv[2])
request = {"file": file, "heap": heap, "frames": frames}[sys.argv[3]](*sys.argv[4:])
threading.Thread(target=report, daemon=True).start()
due = time.time()
while True:
    began = time.time()
    request()
    with lock:
        served[0] += 1
        served[1] += time.time() - began
    due = max(due + interval, time.time() - interval)
    time.sleep(max(0.0, due - time.time()))
