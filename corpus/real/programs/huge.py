"""A program asks for huge pages again and again while the cache fills memory. Where pgbench does not suffer, it is a control."""
import mmap
import time

while True:
    held = mmap.mmap(-1, 200 << 20)
    held.madvise(14)
    for at in range(0, len(held), 4096): held[at] = 1
    time.sleep(1)
    held.close()
