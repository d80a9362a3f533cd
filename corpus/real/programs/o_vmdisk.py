"""The disk of a virtual machine: 12 requests a second of 4 KB at random, around the page cache of the host. Argument: the image."""
import mmap
import os
import random
import sys

import pace

file, room = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 4096)
blocks = os.fstat(file).st_size // 4096
pace.serve(lambda: os.preadv(file, [room], random.randrange(blocks) * 4096), interval=1 / 12)
