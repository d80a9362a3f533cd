"""Rewrites 250 random pages of a table a second, and leaves it to the kernel when they go to the disk. Arguments: file, its MiB."""
import os
import random
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("tabled")
file, pages, page = os.open(sys.argv[1], os.O_RDWR), int(sys.argv[2]) << 8, os.urandom(4096)
while True:
    for _ in range(25):
        os.pwrite(file, page, random.randrange(pages) * 4096)
    time.sleep(0.1)
