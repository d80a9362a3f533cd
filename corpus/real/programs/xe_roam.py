"""A server of roaming profiles: 20 requests a second of 8 pieces of 64 KB, at random in the profiles of a class, MB which it has read twice before;
when /tmp/go exists the next class logs in, whose profiles are others. Arguments: the file, MB of the first class, MB of the next."""
import os
import random
import sys

import g_steady

file, first, second = os.open(sys.argv[1], os.O_RDONLY), int(sys.argv[2]), int(sys.argv[3])
for _ in range(2):
    for at in range(first):
        os.pread(file, 1 << 20, at << 20)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def request():
    base, size = (first, second) if os.path.exists("/tmp/go") else (0, first)
    for _ in range(8):
        os.pread(file, 65536, (base << 20) + random.randrange(size << 4) * 65536)


g_steady.serve(request, 20)
