"""The journal daemon of a container: it maps a file of 8 MB and changes the same 48 pages of it (header, hash tables) twice a second, and syncs
nothing. Argument: the file. Prints nothing."""
import mmap
import os
import sys
import time

open("/proc/self/comm", "w").write("systemd-journal")
with open(sys.argv[1], "wb") as start:
    for _ in range(8):
        start.write(b"j" * 1048576)
    os.fsync(start.fileno())
file = os.open(sys.argv[1], os.O_RDWR)
journal, count = mmap.mmap(file, 8 << 20), 0
while True:
    count = (count + 1) % 250
    for page in range(48):
        journal[page * 40 * 4096 + 8] = count
    time.sleep(0.5)
