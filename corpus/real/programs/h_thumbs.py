"""Holds 130 MB of fonts, and fills a picture of 1 MB, which it maps and gives back, for each of ten requests a second."""
import mmap

import h_open

fonts = [bytearray(b"f") * 1048576 for _ in range(130)]


def request():
    with mmap.mmap(-1, 1 << 20) as picture:
        for at in range(0, 1 << 20, 4096):
            picture[at] = 1


h_open.serve(request, 10)
