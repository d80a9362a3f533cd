"""A backup program hashes the files of a folder, and tells the kernel to forget each piece that it has read. Argument: the folder."""
import hashlib
import os
import sys

for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        file = os.open(os.path.join(folder, name), os.O_RDONLY)
        at = 0
        while piece := os.read(file, 4 << 20):
            hashlib.sha256(piece).digest()
            os.posix_fadvise(file, at, len(piece), os.POSIX_FADV_DONTNEED)
            at += len(piece)
        os.close(file)
