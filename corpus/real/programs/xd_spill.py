"""An executor keeps its shuffle in files on tmpfs: writes MB of them at 40 MB/s, then reads and writes random megabytes of them, 50 a second. Arguments: the folder, MB."""
import os
import random
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("executor")
file, size = os.open(f"{sys.argv[1]}/shuffle", os.O_CREAT | os.O_RDWR), int(sys.argv[2])
block = os.urandom(1 << 20)
for at in range(size):
    os.pwrite(file, block, at << 20)
    time.sleep(1 / 40)
while True:
    at = random.randrange(size)
    os.pread(file, 1 << 20, at << 20)
    os.pwrite(file, block, at << 20)
    time.sleep(1 / 50)
