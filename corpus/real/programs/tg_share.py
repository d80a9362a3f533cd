"""Reads random 4 KB blocks of many files, which it writes and caches first, at a steady rate. Arguments: the name that it takes, folder, files,
MB of each, requests a second, blocks of a request. Prints each second the clock, the requests served, and the ms of one."""
import os
import random
import sys
import threading
import time


def serve(request, rate):
    """Calls `request` at most `rate` times a second, and prints a line for each second, also for those without a request."""
    state = {"done": 0, "took": 0.0, "since": None}

    def report():
        last = int(time.time())
        while True:
            time.sleep(max(0.01, last + 1 - time.time()))
            now = int(time.time())
            if now == last:
                continue
            done, took = state["done"], state["took"]
            state["done"], state["took"] = 0, 0.0
            since = state["since"]
            ms = took / done if done else time.time() - since if since else 0
            print(last, done, round(ms * 1000, 1), flush=True)
            for missed in range(last + 1, now):
                print(missed, 0, round(ms * 1000, 1), flush=True)
            last = now

    threading.Thread(target=report, daemon=True).start()
    due = time.time()
    while True:
        began = state["since"] = time.time()
        served = request()
        state["since"] = None
        if served is not False:
            state["took"] += time.time() - began
            state["done"] += 1
        due = max(due + 1 / rate, time.time() - 1 / rate)
        time.sleep(max(0, due - time.time()))


def main():
    name, folder = sys.argv[1:3]
    count, size, rate, blocks = (int(value) for value in sys.argv[3:7])
    with open("/proc/self/comm", "w") as comm:
        comm.write(name)
    os.makedirs(folder, exist_ok=True)
    files = []
    for number in range(count):
        file = os.open(f"{folder}/{number}", os.O_CREAT | os.O_RDWR)
        block = os.urandom(1048576)
        for _ in range(size):
            os.write(file, block)
        files.append(file)
    for file in files:
        os.fsync(file)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
    for _ in range(2):
        for file in files:
            for part in range(size):
                os.pread(file, 1048576, part * 1048576)

    def request():
        for _ in range(blocks):
            os.pread(random.choice(files), 4096, random.randrange(size * 256) * 4096)

    serve(request, rate)


if __name__ == "__main__":
    main()
