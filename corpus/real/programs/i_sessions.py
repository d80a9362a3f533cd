"""An application server keeps its sessions in MiB of its heap: 20 requests a second, each of which uses 12 pages. Argument: the MiB."""
import random
import sys

import pace

size = int(sys.argv[1]) << 20
heap = bytearray(b"s") * size


def request():
    for _ in range(12):
        heap[random.randrange(size)] = 1


pace.serve(request)
