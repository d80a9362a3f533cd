"""Opens records: some pages of 16 KB each, around the page cache. Arguments: records a second, pages of each."""
import mmap
import os
import random
import sys

import quokka_tally

rate, pages = map(int, sys.argv[1:])
base = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT)


def record():
    with mmap.mmap(-1, 16384) as room:
        for _ in range(pages):
            os.preadv(base, [room], random.randrange(28000) * 16384)


quokka_tally.serve(record, rate)
