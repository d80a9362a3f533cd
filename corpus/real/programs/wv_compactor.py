"""A store of time series compacts its blocks: reads a block of 40 MB, writes a new one, syncs it and removes the last, again and again. Arguments: the file to read,
the folder."""
import os
import sys

with open("/proc/self/comm", "w") as name:
    name.write("tscompact")
os.makedirs(sys.argv[2], exist_ok=True)
source = os.open(sys.argv[1], os.O_RDONLY)
for number in range(1000):
    with open(f"{sys.argv[2]}/block{number}", "wb", buffering=0) as block:
        for at in range(160):
            block.write(os.pread(source, 1 << 18, (number % 4 * 160 + at) << 18))
        os.fsync(block.fileno())
    if number:
        os.remove(f"{sys.argv[2]}/block{number - 1}")
