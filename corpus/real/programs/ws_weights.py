"""A worker of a model server: maps the weights, which all workers share, and goes over all of their pages again and again. Argument: the MB."""
import mmap
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("model-worker")
with open("/bulk/media/part3", "rb") as file:
    weights = mmap.mmap(file.fileno(), int(sys.argv[1]) << 20, access=mmap.ACCESS_READ)
while True:
    for at in range(0, len(weights), 4 << 20):
        weights[at : at + (4 << 20) : 4096]
        time.sleep(0.05)
    time.sleep(2)
