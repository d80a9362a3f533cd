"""Serves 12 pages a second, each from five blocks of its image at random, one after the other. The image is a cached file; from when /tmp/go exists it
is that of the next version, a device. Argument: the device."""
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("webapp")
old, new = os.open("/data/lite.db", os.O_RDONLY), os.open(sys.argv[1], os.O_RDONLY)
for at in range(110):
    os.pread(old, 1 << 20, at << 20)
for image in (old, new):
    os.posix_fadvise(image, 0, 0, os.POSIX_FADV_RANDOM)


def page():
    image = new if os.path.exists("/tmp/go") else old
    for _ in range(5):
        os.pread(image, 4096, random.randrange(110 * 256) << 12)


g_steady.serve(page, 12)
