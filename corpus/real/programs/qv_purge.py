"""Workers of a web cache that purge by a wildcard: each reads the head (4 KB) of entry after entry of its share of the cache, to compare the key.
Argument: number of workers."""
import os
import sys

workers = int(sys.argv[1])
with open("/proc/self/comm", "w") as comm:
    comm.write("cache-purge")
own = 0
for number in range(1, workers):
    if os.fork() == 0:
        own = number
        break
cache = os.open("/data/map/data.mdb", os.O_RDONLY)
os.posix_fadvise(cache, 0, 0, os.POSIX_FADV_RANDOM)
share = os.fstat(cache).st_size // workers
for at in range(own * share, (own + 1) * share, 32768):
    head = os.pread(cache, 4096, at & ~4095)
    head.startswith(b"KEY: https://site/blog/")
