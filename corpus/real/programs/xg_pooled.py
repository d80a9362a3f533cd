"""Backends of a connection pool that live for days. From when /tmp/go exists each plans queries over all partitions of a table and keeps what it learns of
each: so many MB at the end, 0.5 MB a second, of which it looks at some again in each query. Arguments: the backends, the MB."""
import mmap
import os
import random
import sys
import time

backends, size = (int(value) for value in sys.argv[1:])
with open("/proc/self/comm", "w") as name:
    name.write("pooled")
for _ in range(backends - 1):
    if os.fork() == 0:
        break
cache = mmap.mmap(-1, size << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
cache.madvise(15)  # MADV_NOHUGEPAGE
while not os.path.exists("/tmp/go"):
    time.sleep(0.5)
for at in range(size << 8):
    cache[at << 12 : (at << 12) + 512] = b"relation" * 64
    if at % 64 == 63:
        time.sleep(0.5)
while True:
    for _ in range(50):
        cache[random.randrange(size << 8) << 12]
    time.sleep(0.5)
