"""Gradient boosting with external memory: for each tree it reads the pages of its matrix, 1 MB each, from the first to the last. When /tmp/go exists the matrix
is larger. Arguments: MB before and after, pages a second."""
import os
import sys

import pace

with open("/proc/self/comm", "w") as name:
    name.write("xgb-train")
matrix, sizes, at = open("/data/lite.db", "rb", 0), [int(word) for word in sys.argv[1:3]], 0
page = bytearray(1 << 20)


def step():
    global at
    if at >= sizes[os.path.exists("/tmp/go")]:
        matrix.seek(0)
        at = 0
    matrix.readinto(page)
    at += 1


for _ in range(sizes[0]):
    step()
pace.serve(step, interval=1 / float(sys.argv[3]))
