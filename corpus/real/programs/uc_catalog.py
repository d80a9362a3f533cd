"""A pod with a small memory limit: answers 20 requests a second, each of which needs ten pages at random out of a mapped file that is read once before. From when
/tmp/go exists its heap grows, by 6 MB a second. Arguments: the file, the MB of it, the MB that the heap grows by. Prints clock, requests, ms."""
import mmap
import os
import random
import sys
import threading
import time

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("product-catalog")
MIB = 1 << 20
size, grows, heap = int(sys.argv[2]) * MIB, int(sys.argv[3]), []
file = os.open(sys.argv[1], os.O_RDONLY)
for _ in range(size // 65536):
    os.read(file, 65536)
data = mmap.mmap(file, size, prot=mmap.PROT_READ)
data.madvise(mmap.MADV_RANDOM)


def grow():
    while not os.path.exists("/tmp/go"):
        time.sleep(0.3)
    for _ in range(grows):
        heap.append(bytearray(b"s") * MIB)
        time.sleep(0.16)


def request():
    for _ in range(10):
        data[random.randrange(size >> 12) << 12]


threading.Thread(target=grow, daemon=True).start()
g_steady.serve(request, 20)
