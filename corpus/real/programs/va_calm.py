"""A checkpoint that is spread: writes 256 kB of /data/store and syncs them, then waits a quarter of a second."""
import os
import time

with open("/proc/self/comm", "w") as name:
    name.write("checkpointer")
file, pages, at = os.open("/data/store", os.O_RDWR), os.urandom(1 << 18), 0
while True:
    os.pwrite(file, pages, at % 160 * len(pages))
    os.fdatasync(file)
    at += 1
    time.sleep(0.25)
