"""A program maps a file of 200 MB and reads it, with room."""
import mmap
import time

with open("/bulk/media/part1", "rb") as file:
    pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    for at in range(0, len(pages), 4096):
        pages[at]
time.sleep(10000)
