"""Draws ten pictures a second, each in 2 MB of memory that it takes from the kernel and gives back."""
import mmap

import pace

white = b"w" * (2 << 20)


def draw():
    with mmap.mmap(-1, 2 << 20) as picture:
        picture.write(white)


pace.serve(draw, interval=0.1)
