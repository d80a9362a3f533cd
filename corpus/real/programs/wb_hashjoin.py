"""Backends of a report, each with a hash table in memory that it probes page by page, again and again. Arguments: backends, MB of each."""
import mmap
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("hashjoin")
backends, size = (int(value) for value in sys.argv[1:3])
for _ in range(backends - 1):
    if os.fork() == 0:
        break
table = mmap.mmap(-1, size << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
table.madvise(15)  # MADV_NOHUGEPAGE
for at in range(size):
    table[at << 20 : (at + 1) << 20] = os.urandom(1 << 20)
    time.sleep(0.05)
while True:
    for at in range(size):
        table[at << 20 : (at + 1) << 20 : 4096] = os.urandom(256)
    time.sleep(0.2)
