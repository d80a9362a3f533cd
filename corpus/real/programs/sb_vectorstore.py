"""A store of vectors maps a segment that it has written and read before, advised to be random; each search looks at pages of it at random.
Prints in each second: clock, searches, ms of one. Arguments: the segment, its MB, pages of a search, searches a second."""
import mmap
import random
import sys

import qs_query

qs_query.name("qdrant")
size, pages = int(sys.argv[2]), int(sys.argv[3])
file = qs_query.write(sys.argv[1], size)
qs_query.warm(file, size)
vectors = mmap.mmap(file, size << 20, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ)
vectors.madvise(mmap.MADV_RANDOM)


def search():
    for _ in range(pages):
        vectors[random.randrange(size * 256) * 4096]


qs_query.serve(search, int(sys.argv[4]))
