"""Answers ten map queries a second: opens and maps the file of the parcels, and looks at four places at random. Argument: MB of the file."""
import mmap
import os
import random
import sys

import pace

size = int(sys.argv[1]) << 20


def query():
    file = os.open("/data/lite.db", os.O_RDONLY)
    view = mmap.mmap(file, size, prot=mmap.PROT_READ)
    for _ in range(4):
        view[random.randrange(size)]
    view.close()
    os.close(file)


pace.serve(query, interval=0.1)
