"""Eight threads of a recorder of events write 4 KB each with O_DIRECT, 4 times a second each, over blocks at random of a file that was written before.
From when /tmp/go exists they append to a new file instead. Argument: the folder."""
import mmap
import os
import random
import sys
import threading
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("eventrec")
with open(sys.argv[1] + "/events0", "wb") as old:
    for _ in range(24):
        old.write(bytes(1 << 20))
    old.flush()
    os.fsync(old.fileno())
old = os.open(sys.argv[1] + "/events0", os.O_RDWR | os.O_DIRECT)
new = os.open(sys.argv[1] + "/events1", os.O_WRONLY | os.O_CREAT | os.O_DIRECT | os.O_APPEND)
took = []


def record():
    block, due = mmap.mmap(-1, 4096), time.time() + random.random() / 4
    while True:
        began = time.time()
        if os.path.exists("/tmp/go"):
            os.write(new, block)
        else:
            os.pwritev(old, [block], random.randrange(24 * 256) * 4096)
        took.append(time.time() - began)
        due = max(due + 0.25, time.time() - 0.25)
        time.sleep(max(0, due - time.time()))


for _ in range(8):
    threading.Thread(target=record, daemon=True).start()
while True:
    time.sleep(1 - time.time() % 1)
    told, took[:] = took[:], []
    print(int(time.time()), len(told), *([round(sum(told) / len(told) * 1000, 1)] if told else []), flush=True)
