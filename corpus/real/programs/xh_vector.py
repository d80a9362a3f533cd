"""A log agent moves its backlog into its buffer on disk: writes blocks of 64 KB over a file of 64 MB, around the page cache, as fast as it may.
Argument: the file."""
import mmap
import os
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("vector")
file, block, at = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY | os.O_DIRECT), mmap.mmap(-1, 65536), 0
block.write(b"v" * 65536)
os.posix_fallocate(file, 0, 64 << 20)
while True:
    os.pwrite(file, block, at % 1024 << 16)
    at += 1
