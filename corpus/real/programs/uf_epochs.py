"""A loop of training: reads its set in blocks of 128 KB from front to back, 96 blocks a second, again and again; once the file given exists, each round also
reads a second set. Prints clock, blocks and ms of each. Arguments: the file, a set, its MB, the second set, its MB."""
import os
import sys
import threading
import time

with open("/proc/self/comm", "w") as name:
    name.write("tf_data")
switch = sys.argv[1]
first, second = os.open(sys.argv[2], os.O_RDONLY), os.open(sys.argv[4], os.O_RDONLY)
served = []


def log():
    while True:
        now = int(time.time())
        time.sleep(now + 1 - time.time())
        took, served[:] = served[:], []
        print(now, len(took), *([round(sum(took) / len(took) * 1000, 1)] if took else []), flush=True)


threading.Thread(target=log, daemon=True).start()
due = time.time()
while True:
    rounds = [(first, int(sys.argv[3]))] + ([(second, int(sys.argv[5]))] if os.path.exists(switch) else [])
    for file, size in rounds:
        for block in range(size * 8):
            began = time.time()
            os.pread(file, 131072, block * 131072)
            served.append(time.time() - began)
            due = max(due + 1 / 96, time.time() - 0.1)
            time.sleep(max(0, due - time.time()))
