"""Full compactions with direct IO: so many threads each read a block of a file and write it to a new one, around the page cache.
Arguments: input, folder for output, threads, KB of a block. Prints nothing."""
import mmap
import os
import sys
import threading

import qs_query

qs_query.name("influxd")
size = int(sys.argv[4]) * 1024
blocks = os.path.getsize(sys.argv[1]) // size
os.makedirs(sys.argv[2], exist_ok=True)


def compact(number, step):
    buffer = mmap.mmap(-1, size)
    source = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
    out = os.open(f"{sys.argv[2]}/{number}.tsm.tmp", os.O_CREAT | os.O_WRONLY | os.O_DIRECT)
    while True:
        for count, block in enumerate(range(number, blocks, step)):
            os.preadv(source, [buffer], block * size)
            os.pwritev(out, [buffer], count % 200 * size)


threads = int(sys.argv[3])
for number in range(threads):
    threading.Thread(target=compact, args=(number, threads)).start()
