"""A full compaction of a time series store: it decodes the blocks of cold shards, holds MB of them in memory, and writes the merged blocks to a new
file, 8 MB a second. Prints nothing. Arguments: the MB held, the new file, the files of the shards."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("tsm1-compact")
size, held = int(sys.argv[1]), []
out = os.open(sys.argv[2], os.O_CREAT | os.O_WRONLY)
while True:
    os.lseek(out, 0, os.SEEK_SET)
    for shard in sys.argv[3:]:
        with open(shard, "rb", buffering=0) as blocks:
            while block := blocks.read(1048576):
                if len(held) < size:
                    held.append(bytearray(block))
                os.write(out, block)
                time.sleep(0.12)
