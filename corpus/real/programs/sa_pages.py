"""A service that reads blocks at random from the first MB of a file for each request; it makes the file if there is none, and reads it twice before unless it reads directly.
Arguments: name, file, MB, requests a second, reads of each, KB of a read; `direct` to read around the page cache, `cold` to read nothing before.
Prints each second CLOCK, requests served, ms of one (of the one that is waited for, if none was served)."""
import mmap
import os
import random
import sys
import threading
import time


class Tally:
    def __init__(self):
        self.count, self.took, self.since = 0, 0.0, None

    def tick(self):
        """Prints a line for each second that has ended, for ever."""
        now = int(time.time())
        while True:
            time.sleep(max(0.001, now + 1 - time.time()))
            while now + 1 <= time.time():
                count, took, since = self.count, self.took, self.since
                self.count, self.took = 0, 0.0
                if count:
                    print(now, count, round(took / count * 1000, 1), flush=True)
                elif since is not None:
                    print(now, 0, round((time.time() - since) * 1000, 1), flush=True)
                else:
                    print(now, 0, flush=True)
                now += 1


def serve(request, rate):
    """Calls `request` at most `rate` times a second and as often as it can when it is late; prints each second what was served."""
    tally = Tally()
    threading.Thread(target=tally.tick, daemon=True).start()
    due = time.time()
    while True:
        time.sleep(max(0, due - time.time()))
        began = tally.since = time.time()
        request()
        tally.since = None
        tally.took += time.time() - began
        tally.count += 1
        due = max(due + 1 / rate, time.time() - 1 / rate)


def named(name):
    with open("/proc/self/comm", "w") as comm:
        comm.write(name)


def main():
    named(sys.argv[1])
    path, size, rate, reads, block = sys.argv[2], *(int(value) for value in sys.argv[3:7])
    block *= 1024
    if not os.path.exists(path):
        with open(path, "wb", 0) as file:
            for number in range(size):
                file.write(number.to_bytes(8, "big") * 131072)
            os.fsync(file.fileno())
    direct = "direct" in sys.argv
    base = os.open(path, os.O_RDONLY | (os.O_DIRECT if direct else 0))
    if not direct and "cold" not in sys.argv:
        for at in [*range(size)] * 2:
            os.pread(base, 1 << 20, at << 20)
    os.posix_fadvise(base, 0, 0, os.POSIX_FADV_RANDOM)
    room = mmap.mmap(-1, block)

    def request():
        for _ in range(reads):
            os.preadv(base, [room], random.randrange((size << 20) // block) * block)

    serve(request, rate)


if __name__ == "__main__":
    main()
