"""A settings service: 12 requests a second; each reads 4 blocks of 90 MB that are cached, and one at random that is mostly not."""
import os
import random

import g_steady
import h_hot

part, other = h_hot.Hot("/data/lite.db", 90), os.open("/data/map/data.mdb", os.O_RDONLY)
os.posix_fadvise(other, 0, 0, os.POSIX_FADV_RANDOM)


def request():
    part.read(4)
    os.pread(other, 4096, random.randrange(128000) * 4096)


g_steady.serve(request, 12)
