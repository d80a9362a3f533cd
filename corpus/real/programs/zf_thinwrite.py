"""Writes 4 KB at random places of a volume around the page cache. Arguments: the device, its MiB, the writes a second."""
import mmap
import os
import random
import sys

import g_steady

volume, blocks = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT), int(sys.argv[2]) * 256
block = mmap.mmap(-1, 4096)
block[:] = os.urandom(4096)
g_steady.serve(lambda: os.pwritev(volume, [block], random.randrange(blocks) * 4096), float(sys.argv[3]))
