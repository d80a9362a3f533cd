"""Renders 20 pages a second, each through a file of 400 KB in a folder, of which it keeps the last 20. From when /tmp/go exists its new release forgets
to remove them. Argument: the folder."""
import os
import sys

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("renderd")
os.makedirs(sys.argv[1], exist_ok=True)
count, page = 0, os.urandom(409600)


def render():
    global count
    count += 1
    with open(f"{sys.argv[1]}/{count}", "wb") as file:
        file.write(page)
    if not os.path.exists("/tmp/go") and count > 20:
        os.unlink(f"{sys.argv[1]}/{count - 20}")


g_steady.serve(render, 20)
