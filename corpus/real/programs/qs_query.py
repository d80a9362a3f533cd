"""Serves queries from the segments of a store: each reads blocks at random among the hot MB of a file that it has written and read before. When the
file /tmp/widen exists, it reads among all MB instead. Prints in each second: clock, queries, ms of one.
Arguments: name, file, MB of the file, hot MB, KB of a block, blocks of a query, queries a second."""
import os
import random
import sys
import threading
import time


def name(text):
    with open("/proc/self/comm", "w") as comm:
        comm.write(text)


def serve(request, rate):
    """Calls `request` so many times a second in a thread and prints a line for each second, also while nothing was served."""
    done, current = [], [None]

    def work():
        due = time.time()
        while True:
            current[0] = began = time.time()
            request()
            ended, current[0] = time.time(), None
            done.append((ended - began) * 1000)
            due = max(due + 1 / rate, ended - 1 / rate)
            time.sleep(max(0, due - time.time()))

    threading.Thread(target=work, daemon=True).start()
    now = int(time.time())
    while True:
        time.sleep(max(0, now + 1 - time.time()))
        count, began = len(done), current[0]
        took = sum(done[:count]) / count if count else (time.time() - began) * 1000 if began else 0
        del done[:count]
        print(now, count, round(took, 1), flush=True)
        now = max(now + 1, int(time.time()))


def write(path, mib):
    """Writes a file and waits for the disk; its pages stay cached. Returns it opened for reads at random."""
    block = bytes(range(256)) * 4096
    out = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    for _ in range(mib):
        os.write(out, block)
    os.fsync(out)
    os.close(out)
    file = os.open(path, os.O_RDONLY)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
    return file


def warm(file, mib):
    for _ in range(2):
        for n in range(mib):
            os.pread(file, 1048576, n * 1048576)


if __name__ == "__main__":
    name(sys.argv[1])
    every, hot, size, blocks, rate = (int(value) for value in sys.argv[3:8])
    file = write(sys.argv[2], every)
    warm(file, hot)
    size *= 1024
    among, checked = [hot * 1048576 // size], [0]

    def query():
        if time.time() > checked[0] + 1:
            checked[0] = time.time()
            if os.path.exists("/tmp/widen"):
                among[0] = every * 1048576 // size
        for _ in range(blocks):
            os.pread(file, size, random.randrange(among[0]) * size)

    serve(query, rate)
