"""An interactive session on a login node runs 8 small commands a second, each of which uses 1 MB of fresh memory. Prints clock, commands and ms of each, every
second."""
import mmap

import xd_watch


def command():
    with mmap.mmap(-1, 1 << 20) as room:
        room[::4096] = b"c" * 256


xd_watch.serve(lambda: None, command, 8, "rsession")
