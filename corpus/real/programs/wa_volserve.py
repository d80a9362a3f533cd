"""A service on a volume, one client, paced. Arguments: its name, requests per second, and one of
  pages FILE MB READS     random reads of 4 KiB in the first MB of a file, through the page cache
  direct FILE MB KB       one random read of KB around the page cache; of FILE.new instead as soon as /tmp/new exists
  append FOLDER KB        appends KB to files of 16 MB, of which it keeps four
  commit FILE             appends a record and syncs it
  small FOLDER FILES HOT  reads FILES small files of the first HOT of a folder; as soon as /tmp/cold exists, others, each once
Prints in each second the clock, the requests served and the ms of one."""
import mmap
import os
import random
import sys
import threading
import time


def pages(path, size, reads):
    file, count = os.open(path, os.O_RDONLY), int(size) * 256
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)

    def request():
        for _ in range(int(reads)):
            os.pread(file, 4096, random.randrange(count) * 4096)

    return request


def direct(path, size, each):
    each = int(each) << 10
    blocks, room = (int(size) << 20) // each, mmap.mmap(-1, each)
    files = [os.open(name, os.O_RDONLY | os.O_DIRECT) for name in (path, path + ".new") if os.path.exists(name)]
    return lambda: os.preadv(files[-1 if os.path.exists("/tmp/new") else 0], [room], random.randrange(blocks) * each)


def append(folder, size):
    os.makedirs(folder, exist_ok=True)
    block, state = os.urandom(1024) * int(size), {"number": 0, "left": 0, "file": None}

    def request():
        if state["left"] < len(block):
            if state["file"] is not None:
                os.close(state["file"])
            state["number"], state["left"] = state["number"] + 1, 16 << 20
            state["file"] = os.open(f"{folder}/{state['number'] % 4}", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
        os.write(state["file"], block)
        state["left"] -= len(block)

    return request


def commit(path):
    file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)

    def request():
        os.write(file, b"c" * 300)
        os.fdatasync(file)

    return request


def small(folder, files, hot):
    names = sorted(f"{base}/{name}" for base, _, found in os.walk(folder) for name in found)
    warm, cold = names[: int(hot)], names[int(hot) :]
    random.shuffle(cold)

    def request():
        for _ in range(int(files)):
            name = cold.pop() if cold and os.path.exists("/tmp/cold") else random.choice(warm)
            with open(name, "rb") as file:
                file.read()

    for name in warm:
        with open(name, "rb") as file:
            file.read()
    return request


def report():
    now = int(time.time())
    while True:
        time.sleep(max(0.0, now + 1 - time.time()))
        done, took = served
        served[:] = [0, 0.0]
        print(now, done, *([round(took / done * 1000, 1)] if done else []), flush=True)
        now += 1


with open("/proc/self/comm", "w") as comm:
    comm.write(sys.argv[1])
served, interval = [0, 0.0], 1 / float(sys.argv[2])
request = {"pages": pages, "direct": direct, "append": append, "commit": commit, "small": small}[sys.argv[3]](*sys.argv[4:])
threading.Thread(target=report, daemon=True).start()
due = time.time()
while True:
    began = time.time()
    request()
    served[0] += 1
    served[1] += time.time() - began
    due = max(due + interval, time.time() - interval)
    time.sleep(max(0.0, due - time.time()))
