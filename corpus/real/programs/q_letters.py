"""Prints eight letters a second: each gets a canvas of 1 MiB of its own, that is mapped, filled, and given back; the fonts are 20 MB."""
import mmap

import g_steady

fonts = [bytearray(b"f") * (1 << 20) for _ in range(20)]


def letter():
    canvas = mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    canvas.write(fonts[3])
    canvas.close()


g_steady.serve(letter, 8)
