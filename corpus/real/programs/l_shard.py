"""Opens and maps its volume for each of 12 requests a second, and looks at two places of it. Arguments: the device, the MB."""
import mmap
import os
import random
import sys

import pace

# As long as somebody has it open its pages stay in the page cache.
keep, size = os.open(sys.argv[1], os.O_RDONLY), int(sys.argv[2]) << 20


def request():
    file = os.open(sys.argv[1], os.O_RDONLY)
    with mmap.mmap(file, size, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ) as pages:
        for _ in range(2):
            pages[random.randrange(size)]
    os.close(file)


pace.serve(request, interval=1 / 12)
