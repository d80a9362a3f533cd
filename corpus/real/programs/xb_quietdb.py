"""A second database server that nobody asks: its pool of MB stays as it is; from when /tmp/go exists a monitor looks at two pages of it a second.
Argument: the MB."""
import mmap
import os
import random
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("quietdb")
size = int(sys.argv[1])
pool = mmap.mmap(-1, size << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
pool.madvise(15)  # MADV_NOHUGEPAGE
for at in range(size):
    pool[at << 20 : (at + 1) << 20] = os.urandom(1 << 20)
print("ready", flush=True)
while True:
    time.sleep(0.5)
    if os.path.exists("/tmp/go"):
        pool[random.randrange(size << 8) << 12]
