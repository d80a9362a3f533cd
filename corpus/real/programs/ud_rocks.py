"""A store under a supervisor. The store replays its log of some MB from the disk at each start, then answers 20 requests a second; as soon as
/tmp/leak exists, requests keep what their iterators pin, 2 MB each. The supervisor starts it again when it dies, and prints each second:
clock, requests answered. Arguments: the log, its MB."""
import os
import select
import sys
import time

path, size = sys.argv[1], int(sys.argv[2]) << 20


def store(out):
    with open("/proc/self/comm", "w") as name:
        name.write("kvstore")
    log = os.open(path, os.O_RDONLY)
    os.posix_fadvise(log, 0, 0, os.POSIX_FADV_DONTNEED)
    os.posix_fadvise(log, 0, 0, os.POSIX_FADV_RANDOM)
    for at in range(0, size, 65536):
        os.pread(log, 65536, at)
        os.posix_fadvise(log, at, 65536, os.POSIX_FADV_DONTNEED)
    pinned = []
    while True:
        if os.path.exists("/tmp/leak"):
            pinned.append(bytearray(b"i") * (2 << 20))
        os.write(out, b".")
        time.sleep(0.05)


def start():
    child = os.fork()
    if child == 0:
        os.close(inside)
        store(out)
    return child


inside, out = os.pipe()
child, ready, now, count = start(), False, 0, 0
while True:
    if select.select([inside], [], [], max(0, now + 1 - time.time()) if ready else None)[0]:
        count += len(os.read(inside, 4096))
        if not ready:
            ready, now, count = True, int(time.time()), 0
    if ready:
        while now + 1 <= time.time():
            print(now, count, flush=True)
            now, count = now + 1, 0
        if os.waitpid(child, os.WNOHANG)[0]:
            child = start()
