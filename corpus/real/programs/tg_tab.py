"""A tab of a browser. Arguments: `mail` and MB that it keeps: draws 20 pictures a second, each in 1 MB of new memory, and prints each second the
clock, the pictures, and the ms of one. Or `board`, MB and MB/s: a page that grows to so much."""
import mmap
import sys
import time

import tg_share

what, size = sys.argv[1], int(sys.argv[2])
with open("/proc/self/comm", "w") as comm:
    comm.write("chrome")


def draw():
    canvas = mmap.mmap(-1, 1048576)
    canvas.write(pixels)
    canvas.close()


if what == "mail":
    heap = [bytearray(b"h") * 1048576 for _ in range(size)]
    pixels = bytes(1048576)
    tg_share.serve(draw, 20)
heap = []
while len(heap) < size:
    heap.append(bytearray(b"h") * 1048576)
    time.sleep(1 / float(sys.argv[3]))
while True:
    time.sleep(1)
