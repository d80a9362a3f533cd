"""A data node sends a block file to another node once, 1 MB at a time, and drops each MB from the page cache behind itself
(dfs.datanode.drop.cache.behind.reads). Arguments: the file, MB/s."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("datanode")
block, rate = os.open(sys.argv[1], os.O_RDONLY), float(sys.argv[2])
at = 0
while piece := os.pread(block, 1 << 20, at):
    at += len(piece)
    os.posix_fadvise(block, 0, at, os.POSIX_FADV_DONTNEED)
    time.sleep(1 / rate)
time.sleep(10000)
