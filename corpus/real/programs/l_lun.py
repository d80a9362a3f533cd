"""A store on a volume of its own: reads 24 pages of 8 KB a second, around the page cache, one after the other. Arguments: the device, the MB."""
import mmap
import os
import random
import sys

import pace

device, size = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), int(sys.argv[2])
page = mmap.mmap(-1, 8192)
pace.serve(lambda: os.preadv(device, [page], random.randrange(size * 128) * 8192), interval=1 / 24)
