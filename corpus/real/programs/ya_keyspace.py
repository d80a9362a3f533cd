"""An archive of keys that nobody reads, MB in memory, of which all but the first 40 MB have been swapped out long ago. From when /tmp/go exists somebody walks
its keyspace to find big keys, eight cursors at once in the order of hashes: each looks at one key after the other, anywhere in memory. Argument: the MB."""
import mmap
import os
import random
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("keyspace")
size = int(sys.argv[1])
keys = mmap.mmap(-1, size << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
keys.madvise(15)  # MADV_NOHUGEPAGE
for at in range(size):
    keys[at << 20 : (at + 1) << 20] = os.urandom(1 << 20)
    if at >= 40:
        keys.madvise(21, at << 20, 1 << 20)  # MADV_PAGEOUT
print("ready", flush=True)
while not os.path.exists("/tmp/go"):
    time.sleep(0.3)
for _ in range(7):
    if os.fork() == 0:
        break
while True:
    keys[random.randrange(size << 8) << 12]
