"""Searches in the segments of an index that it maps, 16 MB each of a file: each search reads a byte of a page at random. The maps are advised to be
random; when the file /tmp/mmapfs exists, it opens and maps the segments again, without advice. Prints in each second: clock, searches, ms of one.
Arguments: the file, searches a second."""
import mmap
import os
import random
import sys
import time

import qs_query

qs_query.name("elasticsearch")
part = 16 * 1048576
count = os.path.getsize(sys.argv[1]) // part


def segments(advice):
    maps = []
    for number in range(count):
        file = os.open(sys.argv[1], os.O_RDONLY)
        one = mmap.mmap(file, part, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ, offset=number * part)
        one.madvise(advice)
        maps.append(one)
    return maps


opened, advised, checked = segments(mmap.MADV_RANDOM), True, 0


def search():
    global opened, advised, checked
    if advised and time.time() > checked + 1:
        checked = time.time()
        if os.path.exists("/tmp/mmapfs"):
            opened, advised = segments(mmap.MADV_NORMAL), False
    return opened[random.randrange(count)][random.randrange(part // 4096) * 4096]


qs_query.serve(search, int(sys.argv[2]))
