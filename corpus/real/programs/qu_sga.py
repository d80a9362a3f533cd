"""A database instance with its buffers in shared memory: it touches all of them at its start, and then some pages of them at random in each request. Prints
clock, requests and ms of each. Arguments: MiB, requests a second, pages of each."""
import mmap
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("instance")
pages, rate, each = int(sys.argv[1]) * 256, float(sys.argv[2]), int(sys.argv[3])
area = mmap.mmap(-1, pages * 4096)
for page in range(pages):
    area[page * 4096] = 1


def request():
    for _ in range(each):
        area[random.randrange(pages) * 4096 + 8] = 2


g_steady.serve(request, rate)
