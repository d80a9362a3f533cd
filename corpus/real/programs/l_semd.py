"""A server that is restarted by its watchdog over and over leaves its semaphores behind: sets of 32000, 2 MB of the kernel's memory each, until so many
MiB of files are cached. Arguments: MiB, sets a second."""
import ctypes
import sys
import time

import room

with open("/proc/self/comm", "w") as name:
    name.write("modrewrited")
libc = ctypes.CDLL(None)
least, rate, count = int(sys.argv[1]), float(sys.argv[2]), 0
while count < 450:
    if room.files() < least:
        time.sleep(1)
        continue
    if libc.semget(0, 32000, 0o1600) < 0:
        break
    count += 1
    time.sleep(1 / rate)
time.sleep(10000)
