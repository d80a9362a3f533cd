"""A program changes a mapped file at random and syncs it after every 50 changes."""
import mmap
import random

with open("/data/state", "r+b") as file:
    pages = mmap.mmap(file.fileno(), 0)
while True:
    for _ in range(50):
        pages[random.randrange(100 << 20)] = 1
    pages.flush()
