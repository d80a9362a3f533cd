"""A file server: eight threads serve requests for 16 KB of a file that is larger than memory. Ten requests a second arrive, and 90 from when
/tmp/go exists (a release is announced); when 300 wait, it refuses more. Prints the requests served and the time from arrival to answer."""
import os
import queue
import random
import threading
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("fileserver")
file = os.open("/data/lite.db", os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
waiting, took = queue.Queue(300), []


def worker():
    while True:
        arrived = waiting.get()
        os.pread(file, 16384, random.randrange(36000) * 16384)
        took.append(time.time() - arrived)


for _ in range(8):
    threading.Thread(target=worker, daemon=True).start()
second = int(time.time())
while True:
    time.sleep(random.expovariate(90 if os.path.exists("/tmp/go") else 10))
    if not waiting.full():
        waiting.put(time.time())
    if int(time.time()) != second:
        done, took = took, []
        print(second, len(done), round(sum(done) / max(1, len(done)) * 1000, 1), flush=True)
        second = int(time.time())
