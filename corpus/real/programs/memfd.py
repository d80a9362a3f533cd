"""A program keeps 270 MB in a file that is memory."""
import os
import time

file = os.memfd_create("cache")
for _ in range(270):
    os.write(file, bytes(1 << 20))
    time.sleep(0.03)
time.sleep(10000)
