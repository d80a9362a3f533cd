"""Three programs read a mapped file of 600 MB at random."""
import mmap
import random

with open("/data/lite.db", "rb") as file:
    pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
while True:
    pages[random.randrange(len(pages))]
