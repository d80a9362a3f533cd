"""Trains on images: four workers read 40 samples a second, each an image of 64 KB from a random place of the set; once the file given exists, each sample is made
of four images. Prints clock, samples and ms of each. Arguments: the file, the files of the set."""
import os
import random
import sys
import threading
import time

with open("/proc/self/comm", "w") as name:
    name.write("yolo")
switch = sys.argv[1]
files = [os.open(path, os.O_RDONLY) for path in sys.argv[2:]]
sizes = [os.fstat(file).st_size for file in files]
served = []


def worker():
    due = time.time()
    while True:
        began = time.time()
        for _ in range(4 if os.path.exists(switch) else 1):
            file = random.choices(range(len(files)), sizes)[0]
            os.pread(files[file], 65536, random.randrange(sizes[file] // 65536) * 65536)
        served.append(time.time() - began)
        due = max(due + 0.1, time.time() - 0.1)
        time.sleep(max(0, due - time.time()))


for _ in range(4):
    threading.Thread(target=worker, daemon=True).start()
while True:
    now = int(time.time())
    time.sleep(now + 1 - time.time())
    took, served[:] = served[:], []
    print(now, len(took), *([round(sum(took) / len(took) * 1000, 1)] if took else []), flush=True)
