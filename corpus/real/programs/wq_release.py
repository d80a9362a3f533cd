"""An edge server fetches a release: writes files of 40 MB through the page cache as fast as it can, MB in all, and syncs nothing. Arguments: the folder, MB."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("edgefill")
os.makedirs(sys.argv[1], exist_ok=True)
block = os.urandom(1 << 20)
for number in range(int(sys.argv[2]) // 40):
    with open(f"{sys.argv[1]}/{number}.pak", "wb", 0) as file:
        for _ in range(40):
            file.write(block)
time.sleep(10000)
