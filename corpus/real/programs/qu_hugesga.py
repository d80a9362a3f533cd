"""A database instance that maps all free huge pages for its buffers, touches 20 of them in each second, and then uses them at random."""
import mmap
import random
import time

with open("/proc/self/comm", "w") as name:
    name.write("oracle")
with open("/proc/meminfo") as lines:
    pages = next(int(line.split()[1]) for line in lines if line.startswith("HugePages_Free"))
area = mmap.mmap(-1, pages << 21, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS | 0x40000)
for page in range(pages):
    area[page << 21] = 1
    time.sleep(0.05)
while True:
    for _ in range(20):
        area[random.randrange(pages << 21)] = 1
    time.sleep(0.1)
