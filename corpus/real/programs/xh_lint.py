"""A linter that watches a project: checks 40 modules a second, each half a MB of the same file, in order and again from the beginning; 90 MB of them,
and 150 MB from when /tmp/go exists."""
import os

import pace

with open("/proc/self/comm", "w") as comm:
    comm.write("linter")
file, at = os.open("/data/lite.db", os.O_RDONLY), 0
for module in range(180):
    os.pread(file, 1 << 19, module << 19)


def check():
    global at
    os.pread(file, 1 << 19, at << 19)
    at = (at + 1) % (300 if os.path.exists("/tmp/go") else 180)


pace.serve(check, interval=1 / 40)
