"""Writes the snapshot of a store around the page cache, 64 KB at a time by three threads, over and over."""
import mmap
import os
import threading

with open("/proc/self/comm", "w") as name:
    name.write("snapshotd")
file = os.open("/data/snapshot", os.O_CREAT | os.O_WRONLY | os.O_DIRECT)


def write(part):
    room, at = mmap.mmap(-1, 65536), 0
    room[:] = os.urandom(65536)
    while True:
        os.pwritev(file, [room], (part * 400 + at % 400) * 65536)
        at += 1


for part in range(3):
    threading.Thread(target=write, args=(part,)).start()
