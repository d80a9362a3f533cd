"""A join of an analytics engine spills partitions of 24 MB to the disk, 600 MB in all, then begins again; it syncs nothing."""
import os
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("duckdb")
os.makedirs("/data/spill", exist_ok=True)
block = os.urandom(1 << 20)
while True:
    for part in range(25):
        file = os.open(f"/data/spill/{part}.tmp", os.O_CREAT | os.O_WRONLY)
        for _ in range(24):
            os.write(file, block)
            time.sleep(0.01)
        os.close(file)
