"""Serves 40 tiles a second: opens the archive, maps it, and reads one page of it. It tells the kernel that it reads at random until /tmp/go exists."""
import mmap
import os
import random

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("tileserv")
pages = os.stat("/data/lite.db").st_size // 4096


def tile():
    file = os.open("/data/lite.db", os.O_RDONLY)
    archive = mmap.mmap(file, pages * 4096, prot=mmap.PROT_READ)
    if not os.path.exists("/tmp/go"):
        archive.madvise(mmap.MADV_RANDOM)
    archive[random.randrange(pages) * 4096]
    archive.close()
    os.close(file)


vd_desk.serve(tile, 40, 1)
