"""A newspaper's archive answers 25 readers a second, each with five blocks of 4 KB at random: among the 40 MB of today's articles, which it has read before,
and from when /tmp/go exists among 60 MB of old ones that nobody has read for years."""
import os
import random

import h_hot
import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("newsroom")
hot = h_hot.Hot("/data/lite.db", 40)


def article():
    if os.path.exists("/tmp/go"):
        for _ in range(5):
            os.pread(hot.file, 4096, (400 * 256 + random.randrange(60 * 256)) * 4096)
    else:
        hot.read(5)


vd_desk.serve(article, 25, 3)
