"""Calls of apt: each writes a new cache of packages, 61 MB, to a file of its own and renames it over the old one. Arguments: the folder, seconds
between two calls."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("apt-get")
os.makedirs(sys.argv[1], exist_ok=True)
packages = os.urandom(1 << 20)
while True:
    new = f"{sys.argv[1]}/pkgcache.bin.new"
    with open(new, "wb", buffering=0) as file:
        for _ in range(61):
            file.write(packages)
    os.rename(new, f"{sys.argv[1]}/pkgcache.bin")
    time.sleep(float(sys.argv[2]))
