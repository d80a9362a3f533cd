"""A media server reads three posters of 192 KB for each page, 20 pages a second, through a pool of disks; it prints clock, pages and ms of each, once a second.
From when /tmp/go exists the pool drops a file's pages when it is closed. Argument: the folder, which it fills with 800 posters first."""
import os
import random
import sys

import vd_desk

with open("/proc/self/comm", "w") as comm:
    comm.write("mergerfs")
folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
for number in range(800):
    with open(f"{folder}/{number}.jpg", "wb") as poster:
        poster.write(os.urandom(1024) * 192)
os.sync()


def request():
    drop = os.path.exists("/tmp/go")
    for _ in range(3):
        poster = os.open(f"{folder}/{random.randrange(800)}.jpg", os.O_RDONLY)
        os.read(poster, 196608)
        if drop:
            os.posix_fadvise(poster, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(poster)


vd_desk.serve(request, 20, 4)
