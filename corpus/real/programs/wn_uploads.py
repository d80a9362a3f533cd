"""Takes uploads: each is written to a file of its own, without sync; the last 60 are kept. Arguments: the folder, MB of one, uploads a second."""
import itertools
import os
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("uploadd")
folder, size = sys.argv[1], int(float(sys.argv[2]) * (1 << 20))
os.makedirs(folder, exist_ok=True)
numbers, block = itertools.count(), os.urandom(1 << 16)


def upload():
    with open(f"{folder}/{next(numbers) % 60}", "wb", buffering=0) as file:
        for _ in range(size >> 16):
            file.write(block)


g_steady.serve(upload, float(sys.argv[3]))
