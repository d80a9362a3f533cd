"""Listeners of a podcast: each fetches one episode of 40 MB, in pieces of 256 KB, some a second, and begins again. Arguments: the file, listeners, pieces a
second of each."""
import os
import sys
import threading
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("podcastd")


def listener():
    file = os.open(sys.argv[1], os.O_RDONLY)
    while True:
        for piece in range(160):
            os.pread(file, 262144, piece * 262144)
            time.sleep(1 / float(sys.argv[3]))


for _ in range(int(sys.argv[2])):
    threading.Thread(target=listener).start()
