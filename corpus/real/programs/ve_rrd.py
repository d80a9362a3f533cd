"""`make`: 500 round robin files of 64 KB. `flush`: every 10 s writes three blocks of each, and lets sync(2) bring them to the disk."""
import os
import random
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("rrdcached")
os.makedirs("/data/rrd", exist_ok=True)
if sys.argv[1] == "make":
    for number in range(500):
        with open(f"/data/rrd/{number}", "wb") as file:
            file.write(b"r" * 65536)
    os.sync()
while sys.argv[1] == "flush":
    for number in range(500):
        file = os.open(f"/data/rrd/{number}", os.O_WRONLY)
        for block in random.sample(range(0, 16, 2), 3):
            os.pwrite(file, b"v" * 4096, block * 4096)
        os.close(file)
    os.sync()
    time.sleep(10)
