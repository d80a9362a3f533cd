"""A groupware server keeps its sessions and calendars in memory, of MB; each of 15 requests a second reads and changes pages of it at random.
Arguments: the MB, pages of a request."""
import random
import sys

import g_steady

held, pages = [bytearray(b"g") * (1 << 20) for _ in range(int(sys.argv[1]))], int(sys.argv[2])


def request():
    for _ in range(pages):
        random.choice(held)[random.randrange(256) << 12] += 0


g_steady.serve(request, 15)
