"""A share of a school: 20 pages a second, each of 6 blocks at random in the folder of a course, 140 MB of a file, which was read before. From when
/tmp/go exists a new course has begun, whose folder of 200 MB nobody has read."""
import os
import random

import pace

with open("/proc/self/comm", "w") as name:
    name.write("shared")
file = os.open("/data/lite.db", os.O_RDONLY)
for _ in range(2):
    for at in range(140):
        os.pread(file, 1 << 20, at << 20)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def page():
    first, size = (250, 200) if os.path.exists("/tmp/go") else (0, 140)
    for _ in range(6):
        os.pread(file, 4096, (first << 20) + (random.randrange(size * 256) << 12))


pace.serve(page)
