"""A code search maps a shard of its index for each query, and looks up four postings in it. Arguments: the shard, queries a second."""
import mmap
import os
import random
import sys

import pace


def query():
    file = os.open(sys.argv[1], os.O_RDONLY)
    with mmap.mmap(file, 0, prot=mmap.PROT_READ) as shard:
        for _ in range(4):
            shard[random.randrange(len(shard))]
    os.close(file)


pace.serve(query, interval=1 / float(sys.argv[2]))
