"""Serves requests out of its own heap: each writes to pages of it at random. Prints clock, requests and ms in each second. Arguments: MiB of heap, requests a
second, pages of a request."""
import random
import sys

import g_steady

heap = bytearray(b"h") * (int(sys.argv[1]) << 20)
count, pages = int(sys.argv[3]), len(heap) // 4096


def request():
    for _ in range(count):
        at = random.randrange(pages) * 4096
        heap[at] = heap[at] % 250 + 1


g_steady.serve(request, int(sys.argv[2]))
