"""A torrent client checks its files: reads each in pieces of 256 KB, hashes them, and tells the kernel to forget them. Arguments: the files."""
import hashlib
import os
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("torrentd")
os.nice(19)
while True:
    for name in sys.argv[1:]:
        file = os.open(name, os.O_RDONLY)
        at = 0
        while piece := os.pread(file, 262144, at):
            hashlib.sha1(piece).digest()
            os.posix_fadvise(file, at, len(piece), os.POSIX_FADV_DONTNEED)
            at += len(piece)
        os.close(file)
