"""A renderer: so many processes each write raw frames of 4 MB to a folder, one after the other and at most one a second. Prints nothing. Arguments: the folder,
processes."""
import os
import sys
import time

worker = 0
for worker in range(1, int(sys.argv[2])):
    if not os.fork():
        break
else:
    worker = 0
with open("/proc/self/comm", "w") as name:
    name.write("render")
os.makedirs(sys.argv[1], exist_ok=True)
rows = os.urandom(1 << 16)
for number in range(200):
    began = time.time()
    with open(f"{sys.argv[1]}/{worker:02d}.{number:04d}.raw", "wb", 0) as frame:
        for _ in range(64):
            frame.write(rows)
    time.sleep(max(0, began + 1 - time.time()))
