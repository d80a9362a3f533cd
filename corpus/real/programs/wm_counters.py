"""Adds up a night's clicks: rewrites pages of a table of counters, here and there, and never syncs. Arguments: file, its MiB, pages to write."""
import os
import random
import sys
import time

file, size, pages = os.open(sys.argv[1], os.O_RDWR), int(sys.argv[2]) << 20, int(sys.argv[3])
row = os.urandom(4096)
for at in random.sample(range(size >> 12), pages):
    os.pwrite(file, row, at << 12)
time.sleep(120)
