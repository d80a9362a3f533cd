"""A photo library. Roles: `gallery FILE` shows 12 pictures a second, each read at random from the library around what is cached, and prints clock,
pictures and ms of each; `thumbs FILE THREADS` reads pictures of the library with threads that never pause, to make thumbnails."""
import os
import random
import sys
import threading

import g_steady

role, name = sys.argv[1:3]
file = os.open(name, os.O_RDONLY)
size = os.fstat(file).st_size
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def picture(length):
    where = random.randrange(size // 65536) * 65536
    os.pread(file, length, where)
    os.posix_fadvise(file, where, length, os.POSIX_FADV_DONTNEED)


def thumbnails():
    while True:
        picture(32768)


if role == "gallery":
    g_steady.serve(lambda: picture(16384), 12)
with open("/proc/self/comm", "w") as comm:
    comm.write("thumbnails")
for _ in range(int(sys.argv[3])):
    threading.Thread(target=thumbnails).start()
