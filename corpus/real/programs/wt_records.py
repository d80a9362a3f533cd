"""Writes records in place into a file around the page cache, as they arrive (Poisson), on eight threads: 4096 bytes each at multiples of that, and 512
bytes at odd multiples of 512 once /tmp/go exists. At most 100 wait. Arguments: the file, its MiB, records a second."""
import mmap
import os
import queue
import random
import sys
import threading
import time

with open("/proc/self/comm", "w") as name:
    name.write("recordd")
path, size, rate = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
with open(path, "wb") as file:
    for _ in range(size):
        file.write(os.urandom(1 << 20))
    file.flush()
    os.fsync(file.fileno())
store, waiting, took = os.open(path, os.O_WRONLY | os.O_DIRECT), queue.SimpleQueue(), []


def work():
    room = mmap.mmap(-1, 4096)
    while True:
        came = waiting.get()
        place = random.randrange(size << 8) << 12
        if os.path.exists("/tmp/go"):
            os.pwritev(store, [memoryview(room)[:512]], place + 512 * random.randrange(1, 8))
        else:
            os.pwritev(store, [room], place)
        took.append(time.time() - came)


for _ in range(8):
    threading.Thread(target=work, daemon=True).start()
due = time.time()
now = int(due)
while True:
    due += random.expovariate(rate)
    time.sleep(max(0, due - time.time()))
    if waiting.qsize() < 100:
        waiting.put(time.time())
    if int(time.time()) != now:
        told, took = took, []
        print(now, len(told), *([round(sum(told) / len(told) * 1000, 1)] if told else []), flush=True)
        now = int(time.time())
