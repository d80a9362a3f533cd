"""An application that reads its pages of 4 KB at random from a file or device, one after another in each request, at a steady rate of requests. From when the
file GO exists, a request takes other reads. Arguments: the name it runs as, the file, MB of it, requests a second, reads of a request, reads after GO, GO.
Prints in each second clock, requests and ms of each."""
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write(sys.argv[1])
file, size = os.open(sys.argv[2], os.O_RDONLY), int(sys.argv[3]) << 20
before, after, go = int(sys.argv[5]), int(sys.argv[6]), sys.argv[7]
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def request():
    for _ in range(after if os.path.exists(go) else before):
        os.pread(file, 4096, random.randrange(size >> 12) << 12)


g_steady.serve(request, int(sys.argv[4]))
