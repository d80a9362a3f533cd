"""An inference server loads a part of an adapter for each of 10 requests a second: two direct reads of 64 KB at random places of a file, then a little
computing. Prints clock, requests and ms of each, every second. Argument: the file."""
import mmap
import os
import random
import sys

import xd_watch

file, room = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 65536)
pieces = os.fstat(file).st_size // 65536


def request():
    total = 0
    for _ in range(2):
        os.preadv(file, [room], random.randrange(pieces) * 65536)
        total += sum(room[:512])
    return total


xd_watch.serve(lambda: None, request, 10, "loraserve")
