"""A server of reports, of 150 MB, that nobody asks: 120 MB of it go to swap. From when /tmp/go exists someone asks for 20 pages of it a second."""
import mmap
import os
import random
import time

with open("/proc/self/comm", "w") as name:
    name.write("reportdb")
held = mmap.mmap(-1, 150 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
held.madvise(15)  # MADV_NOHUGEPAGE
for at in range(150):
    held[at << 20 : (at + 1) << 20] = os.urandom(1 << 20)
held.madvise(21, 0, 120 << 20)  # MADV_PAGEOUT
print("ready", flush=True)
while True:
    if os.path.exists("/tmp/go"):
        held[random.randrange(120 << 8) * 4096]
    time.sleep(0.05)
