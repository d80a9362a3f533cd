"""Looks for objects in the frames of a camera: it walks over random pages of its model and its frames. Arguments: MB, frames per second, pages of a
frame."""
import random
import sys

import pace

size, rate, pages = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
heap = [bytearray(b"m") * 1048576 for _ in range(size)]


def frame():
    for _ in range(pages):
        heap[random.randrange(size)][random.randrange(1048576)] = 1


pace.serve(frame, interval=1 / rate)
