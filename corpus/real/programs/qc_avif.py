"""A service that scales pictures, 12 a second: each reads 32 KB of its original and takes 5 ms of CPU to encode as JPEG; from when /tmp/go exists it is
encoded as AVIF, which takes 140 ms."""
import os
import random
import time

import vd_desk

with open("/proc/self/comm", "w") as comm:
    comm.write("imgscale")
originals = os.open("/data/lite.db", os.O_RDONLY)
os.pread(originals, 20 << 20, 0)


def picture():
    os.pread(originals, 32768, random.randrange(640) * 32768)
    end = time.thread_time() + (0.14 if os.path.exists("/tmp/go") else 0.005)
    while time.thread_time() < end:
        pow(3, (1 << 255) - 19, (1 << 521) - 1)


vd_desk.serve(picture, 12, 2)
