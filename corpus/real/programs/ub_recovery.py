"""Recovers shards to another node: streams read segments around the page cache, without a limit. Arguments: the file, MB of it, streams."""
import mmap
import os
import sys
import threading

path, size, streams = sys.argv[1], int(sys.argv[2]) << 20, int(sys.argv[3])
EACH = 256 << 10


def stream(number):
    file = os.open(path, os.O_RDONLY | os.O_DIRECT)
    chunk = [mmap.mmap(-1, EACH)]
    at = size // streams * number // EACH * EACH
    while True:
        os.preadv(file, chunk, at)
        at = at + EACH if at + 2 * EACH <= size else 0


for number in range(streams):
    threading.Thread(target=stream, args=(number,)).start()
