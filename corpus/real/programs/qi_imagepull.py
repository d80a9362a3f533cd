"""Pulls an image: writes layers of 60 MB at so many MB/s below a folder, syncs each when it is complete, and removes the one before the last. Arguments: the folder,
the MB/s."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("containerd")
folder, rate = sys.argv[1], float(sys.argv[2])
os.makedirs(folder, exist_ok=True)
source, number, due = open("/bulk/media/part3", "rb", 0), 0, time.time()
while True:
    with open(f"{folder}/layer{number}", "wb", 0) as layer:
        for _ in range(120):
            layer.write(source.read(1 << 19))
            due = max(due + 0.5 / rate, time.time() - 0.2)
            time.sleep(max(0, due - time.time()))
        os.fsync(layer.fileno())
    if source.tell() > 130 << 20:
        source.seek(0)
    if number > 1:
        os.unlink(f"{folder}/layer{number - 2}")
    number += 1
