"""Stores artifacts of builds as they are uploaded: four a second on four threads, each of 256 KB, and of 4 MB from when /tmp/go exists (debug symbols are
kept too). Argument: folder. Prints each second clock, artifacts, ms."""
import itertools
import os
import sys

import vd_desk

with open("/proc/self/comm", "w") as comm:
    comm.write("artifactory")
folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
number, piece = itertools.count(), os.urandom(65536)


def upload():
    name = f"{folder}/{next(number)}"
    with open(name + ".part", "wb", 0) as file:
        for _ in range(64 if os.path.exists("/tmp/go") else 4):
            file.write(piece)
    os.rename(name + ".part", name)


vd_desk.serve(upload, 4, 4)
