"""A browser that opens a tab of 8 MB each quarter of a second, until only so many MiB of files are cached. Argument: the MiB."""
import os
import sys
import time

import room

with open("/proc/self/comm", "w") as comm:
    comm.write("browser")
while True:
    if room.files() > int(sys.argv[1]) and os.fork() == 0:
        page = bytearray(b"p") * (8 << 20)
        time.sleep(10000)
    time.sleep(0.25)
