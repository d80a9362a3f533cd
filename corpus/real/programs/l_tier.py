"""Writes 12 blocks a second at random to a device, around the page cache. Arguments: the device, the MB."""
import mmap
import os
import random
import sys

import pace

device, size = os.open(sys.argv[1], os.O_WRONLY | os.O_DIRECT), int(sys.argv[2])
block = mmap.mmap(-1, 4096)
block[:] = b"b" * 4096
pace.serve(lambda: os.pwrite(device, block, random.randrange(size * 256) * 4096), interval=1 / 12)
