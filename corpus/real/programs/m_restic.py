"""A backup reads files in pieces, hashes them and forgets what it has read. Arguments: MB/s, the files."""
import hashlib
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("restic")
rate, began, done = float(sys.argv[1]) * 1e6, time.time(), 0
for name in sys.argv[2:]:
    file, at = os.open(name, os.O_RDONLY), 0
    while piece := os.pread(file, 1 << 18, at):
        hashlib.blake2b(piece[:32768]).digest()
        os.posix_fadvise(file, at, len(piece), os.POSIX_FADV_DONTNEED)
        at, done = at + len(piece), done + len(piece)
        time.sleep(max(0, began + done / rate - time.time()))
    os.close(file)
time.sleep(10000)
