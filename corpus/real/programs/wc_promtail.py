"""A log agent that lost its positions: reads all of a file from the beginning, and counts the lines."""
import os

with open("/proc/self/comm", "w") as name:
    name.write("promtail")
file, lines = os.open("/data/map/data.mdb", os.O_RDONLY), 0
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_SEQUENTIAL)
while True:
    part = os.read(file, 1 << 18)
    lines += part.count(b"\n")
    if not part:
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.lseek(file, 0, os.SEEK_SET)
