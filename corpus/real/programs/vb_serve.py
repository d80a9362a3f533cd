"""A service of a data platform, one client at a pace. Arguments: its name, requests per second, and one of
  direct FILE MB READS KB        random reads around the page cache (a store with a cache of its own)
  pages FILE MB READS            random reads of 4 KB through the page cache
  tasks FILE1 MB1 FILE2 MB2 READS  the same, first warmed; as soon as /tmp/rebalance exists, in the second file
  access FILE MB READS           random reads of 8 KB by pread; as soon as /tmp/mmap exists, by a plain mapping
  mapped FILE MB TOUCHES         looks at random pages of a mapping that it advised as random
  sync FILE BYTES                appends a record and syncs it
  append FOLDER KB               appends to segments of 64 MB
  heap MB TOUCHES                changes random pages of its memory
Prints in each second the clock, the requests served and the ms of one."""
import mmap
import os
import random
import sys
import threading
import time

PAGE = 4096


def direct(path, size, reads, each):
    size, reads, each = int(size) << 20, int(reads), int(each) << 10
    file = os.open(path, os.O_RDONLY | os.O_DIRECT)
    buffer = [mmap.mmap(-1, each)]

    def request():
        for _ in range(reads):
            os.preadv(file, buffer, random.randrange(size // each) * each)

    return request


def opened(path):
    file = os.open(path, os.O_RDONLY)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
    return file


def pages(path, size, reads):
    size, reads, file = int(size) << 20, int(reads), opened(path)

    def request():
        for _ in range(reads):
            os.pread(file, PAGE, random.randrange(size // PAGE) * PAGE)

    return request


def tasks(path, size, second, second_size, reads):
    with open(path, "rb", buffering=0) as file:
        for _ in range(int(size)):
            file.read(1 << 20)
    own, other = pages(path, size, reads), pages(second, second_size, reads)
    return lambda: other() if os.path.exists("/tmp/rebalance") else own()


def access(path, size, reads):
    size, reads, file = int(size) << 20, int(reads), opened(path)
    plain = os.open(path, os.O_RDONLY)
    table = mmap.mmap(plain, size, prot=mmap.PROT_READ)

    def request():
        for _ in range(reads):
            at = random.randrange(size // 8192) * 8192
            if os.path.exists("/tmp/mmap"):
                table[at]
            else:
                os.pread(file, 8192, at)

    return request


def mapped(path, size, touches):
    size, touches = int(size) << 20, int(touches)
    file = os.open(path, os.O_RDONLY)
    segments = mmap.mmap(file, size, prot=mmap.PROT_READ)
    segments.madvise(mmap.MADV_RANDOM)
    sum(segments[at] for at in range(0, size, PAGE))
    return lambda: sum(segments[random.randrange(size)] for _ in range(touches))


def sync(path, size):
    file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    record = b"k" * int(size)

    def request():
        os.write(file, record)
        os.fsync(file)

    return request


def append(folder, size):
    os.makedirs(folder, exist_ok=True)
    block = os.urandom(1024) * int(size)
    state = {"number": 1, "left": 64 << 20, "file": os.open(f"{folder}/1.log", os.O_CREAT | os.O_WRONLY)}

    def request():
        if state["left"] < len(block):
            os.close(state["file"])
            state["number"] += 1
            state["left"] = 64 << 20
            state["file"] = os.open(f"{folder}/{state['number']}.log", os.O_CREAT | os.O_WRONLY)
        os.write(state["file"], block)
        state["left"] -= len(block)

    return request


def heap(size, touches):
    blocks, touches = [bytearray(os.urandom(PAGE)) * 256 for _ in range(int(size))], int(touches)

    def request():
        for _ in range(touches):
            blocks[random.randrange(len(blocks))][random.randrange(1 << 20)] = 1

    return request


served, lock = [0, 0.0], threading.Lock()


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
request = globals()[sys.argv[3]](*sys.argv[4:])
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
