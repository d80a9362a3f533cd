"""A force merge: six threads read segments of 60 MB in pieces of 128 KB, around the page cache, again and again."""
import mmap
import os
import threading

with open("/proc/self/comm", "w") as comm:
    comm.write("forcemerge")
file = os.open("/data/map/data.mdb", os.O_RDONLY | os.O_DIRECT)


def segment(number):
    room = mmap.mmap(-1, 1 << 17)
    while True:
        for at in range(480):
            os.preadv(file, [room], (number * 480 + at) << 17)


for number in range(6):
    threading.Thread(target=segment, args=(number,)).start()
