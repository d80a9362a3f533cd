"""A remote cache of builds: 15 requests a second, each of 6 blobs of 32 kB at random among the first MB of a file, and among more MB once
/tmp/release exists. When it starts it reads 60 MB of old blobs, and then the first MB. Prints in each second clock, requests and ms. Arguments: the
file, the MB, the MB after."""
import os
import random
import sys

import g_steady

BLOB = 32 << 10
with open("/proc/self/comm", "w") as name:
    name.write("bazel-remote")
file, size, later = os.open(sys.argv[1], os.O_RDONLY), int(sys.argv[2]), int(sys.argv[3])
for at in [*range(later, later + 60), *range(size)]:
    os.pread(file, 1 << 20, at << 20)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def get():
    blobs = ((later if os.path.exists("/tmp/release") else size) << 20) // BLOB
    for _ in range(6):
        os.pread(file, BLOB, random.randrange(blobs) * BLOB)


g_steady.serve(get, 15)
