"""A service of a data platform, one client, paced. Arguments: its name, requests per second, and one of
  pages FILE MB READS BYTES [MB2]   random reads in the first MB of a file; in the first MB2 as soon as /tmp/wide exists
  maps FILE MB TOUCHES              opens and maps a segment of 8 MB for each request and looks at some of its pages
  sync FILE                         appends a record and syncs it
  append FOLDER KB                  appends KB to segments of 128 MB, of which it keeps three
  anon MB TOUCHES                   looks at random pages of a heap of so many MB
Prints in each second the clock, the requests served and the ms of one."""
import mmap
import os
import random
import sys
import threading
import time

PAGE = 4096
SEGMENT = 8 << 20


def pages(path, size, reads, each, wide=0):
    size, reads, each, wide = int(size) << 20, int(reads), int(each), int(wide) << 20
    file = os.open(path, os.O_RDONLY)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
    buffer = [bytearray(each)]

    def request():
        span = wide if wide and os.path.exists("/tmp/wide") else size
        for _ in range(reads):
            os.preadv(file, buffer, random.randrange(span // each) * each)

    return request


def maps(path, size, touches):
    segments, touches = int(size) // 8, int(touches)

    def request():
        file = os.open(path, os.O_RDONLY)
        segment = mmap.mmap(file, SEGMENT, prot=mmap.PROT_READ, offset=random.randrange(segments) * SEGMENT)
        sum(segment[random.randrange(SEGMENT)] for _ in range(touches))
        segment.close()
        os.close(file)

    return request


def sync(path):
    file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)

    def request():
        os.write(file, b"r" * 300)
        os.fsync(file)

    return request


def append(folder, size):
    os.makedirs(folder, exist_ok=True)
    block = os.urandom(1024) * int(size)
    state = {"number": 0, "left": 0, "file": None}

    def request():
        if state["left"] < len(block):
            if state["file"] is not None:
                os.close(state["file"])
            state["number"] += 1
            state["left"] = 128 << 20
            state["file"] = os.open(f"{folder}/{state['number']}.part", os.O_CREAT | os.O_WRONLY)
            if state["number"] > 3:
                os.unlink(f"{folder}/{state['number'] - 3}.part")
        os.write(state["file"], block)
        state["left"] -= len(block)

    return request


def anon(size, touches):
    heap = [bytearray(os.urandom(PAGE)) * 256 for _ in range(int(size))]
    touches = int(touches)

    def request():
        for _ in range(touches):
            heap[random.randrange(len(heap))][random.randrange(1048576)] = 1

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
request = {"pages": pages, "maps": maps, "sync": sync, "append": append, "anon": anon}[sys.argv[3]](*sys.argv[4:])
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
