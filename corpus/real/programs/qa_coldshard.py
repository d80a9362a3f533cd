"""A time-series database compacts a shard that has become cold: reads a file in MB, drops what it has read from the page cache, writes half of it anew, synced
and dropped as well, at a limited rate. Arguments: the file, the new file, the MB to read in a second."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("tsmcompact")
source, rate = os.open(sys.argv[1], os.O_RDONLY), float(sys.argv[3])
target = os.open(sys.argv[2], os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
for at in range(200):
    block = os.pread(source, 1 << 20, at << 20)
    os.posix_fadvise(source, at << 20, 1 << 20, os.POSIX_FADV_DONTNEED)
    os.write(target, block[: 1 << 19])
    if at % 2:
        os.fdatasync(target)
        os.posix_fadvise(target, 0, 0, os.POSIX_FADV_DONTNEED)
    time.sleep(1 / rate)
