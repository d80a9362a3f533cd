"""A document store: 60 MB of its own cache, and a collection of 90 MB that it reads through the page cache, 20 requests a second of four blocks.
From /tmp/go on its own cache grows to 150 MB."""
import os
import random
import threading
import time

open("/proc/self/comm", "w").write("mongod")
path = "/data/collection.wt"
with open(path, "wb") as file:
    for _ in range(90):
        file.write(os.urandom(1 << 20))
    file.flush()
    os.fsync(file.fileno())
file = os.open(path, os.O_RDONLY)
while os.read(file, 1 << 20):
    pass
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
cache = [bytearray(b"d") * 1000000 for _ in range(60)]
done, took = 0, 0.0


def report():
    global done, took
    while True:
        time.sleep(1 - time.time() % 1 + 0.01)
        count, ms, done, took = done, took, 0, 0.0
        print(int(time.time()) - 1, count, *([round(ms / count * 1000, 1)] if count else []), flush=True)


threading.Thread(target=report, daemon=True).start()
due = time.time()
while True:
    began = time.time()
    for _ in range(4):
        os.pread(file, 4096, random.randrange(90 * 256) * 4096)
    took += time.time() - began
    done += 1
    if len(cache) < 150 and done % 2 == 0 and os.path.exists("/tmp/go"):
        cache.append(bytearray(b"d") * 1000000)
    due = max(due + 0.05, time.time() - 0.2)
    time.sleep(max(0, due - time.time()))
