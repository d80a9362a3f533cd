"""An analyst's session maps a file of columns and adds up a byte of each page, 10 MB a second at most, again and again. Argument: the file."""
import mmap
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("polars")
with open(sys.argv[1], "rb") as file:
    columns = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
while True:
    for at in range(0, len(columns), 1 << 20):
        sum(columns[at : at + (1 << 20) : 4096])
        time.sleep(0.1)
