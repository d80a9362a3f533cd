"""A screen recorder: 32 pieces of 64 KB a second into a file of 64 MB that it writes over and over; it syncs nothing."""
import os

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("screenrecord")
file, at, piece = os.open("/data/lesson.mkv", os.O_CREAT | os.O_WRONLY), 0, os.urandom(65536)


def frame():
    global at
    os.pwrite(file, piece, at % 1024 << 16)
    at += 1


g_steady.serve(frame, 32)
