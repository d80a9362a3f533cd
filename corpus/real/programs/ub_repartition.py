"""Repartitions files at night and takes care of others: it reads 1 MB after another at a pace, writes it elsewhere, syncs now and then, and tells
the kernel to forget the pages of both. Arguments: the output, MB per second, the inputs."""
import os
import sys
import time

rate = float(sys.argv[2])
out = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
due, number = time.time(), 0
while True:
    for path in sys.argv[3:]:
        file = os.open(path, os.O_RDONLY)
        at = 0
        while block := os.pread(file, 1 << 20, at):
            os.posix_fadvise(file, at, len(block), os.POSIX_FADV_DONTNEED)
            os.pwrite(out, block, number % 256 << 20)
            at, number = at + len(block), number + 1
            if number % 16 == 0:
                os.fdatasync(out)
                os.posix_fadvise(out, 0, 0, os.POSIX_FADV_DONTNEED)
            due = max(due + 1 / rate, time.time() - 0.2)
            time.sleep(max(0.0, due - time.time()))
        os.close(file)
