"""Makes 120 MB in a file of a tmpfs, reads it, and removes it, again and again. Argument: the file."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("pdfmerge")
page = b"p" * (1 << 20)
while True:
    with open(sys.argv[1], "wb", 0) as file:
        for _ in range(120):
            file.write(page)
            time.sleep(0.02)
    with open(sys.argv[1], "rb", 0) as file:
        while file.read(1 << 20):
            pass
    os.unlink(sys.argv[1])
    time.sleep(3)
