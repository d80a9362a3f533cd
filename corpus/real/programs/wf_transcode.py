"""Writes the intermediate file of a transcoding: four threads, 1 MB each time, around the page cache, as fast as the disk takes them."""
import mmap
import os
import threading

with open("/proc/self/comm", "w") as comm:
    comm.write("transcoder")


def track(number):
    file = os.open(f"/data/mezzanine{number}", os.O_CREAT | os.O_WRONLY | os.O_DIRECT)
    frames, at = mmap.mmap(-1, 1 << 20), 0
    frames.write(os.urandom(1 << 20))
    while True:
        os.pwritev(file, [frames], at % 100 << 20)
        at += 1


for number in range(4):
    threading.Thread(target=track, args=(number,)).start()
