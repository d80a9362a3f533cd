"""A mapped file of 400 MB is changed at random."""
import mmap
import random

with open("/data/mapped", "r+b") as file:
    pages = mmap.mmap(file.fileno(), 0)
while True:
    pages[random.randrange(400 << 20)] = 1
