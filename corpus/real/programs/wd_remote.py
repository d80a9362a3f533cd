"""Opens and maps a file of a share for each of 12 requests a second, and looks at one place of it. Arguments: the file, the MiB."""
import mmap
import os
import random
import sys

import g_steady

# As long as somebody has it open its pages stay in the page cache.
keep, size = os.open(sys.argv[1], os.O_RDONLY), int(sys.argv[2]) << 20


def request():
    file = os.open(sys.argv[1], os.O_RDONLY)
    with mmap.mmap(file, size, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ) as pages:
        pages[random.randrange(size)]
    os.close(file)


g_steady.serve(request, 12)
