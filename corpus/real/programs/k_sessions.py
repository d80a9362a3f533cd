"""Sessions in memory: 20 requests a second, each changes 40 pages at random; 80 MB, and from when /tmp/go exists 8 MB more a second up to MB. Argument: the MB."""
import os
import random
import sys
import time

import g_steady

held, began = [bytearray(b"s") * (1 << 20) for _ in range(80)], None


def request():
    global began
    if began is None and os.path.exists("/tmp/go"):
        began = time.time()
    if began and len(held) < min(int(sys.argv[1]), 80 + (time.time() - began) * 8):
        held.append(bytearray(b"s") * (1 << 20))
    for _ in range(40):
        random.choice(held)[random.randrange(256) * 4096] = 1


g_steady.serve(request, 20)
