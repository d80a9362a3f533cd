"""The file search of a NAS: each search looks through the whole database of names from its first to its last byte, as locate does. Prints in each
second clock and how many MB of names were looked through. From when /tmp/go exists the database has the second size. Arguments: MB, MB."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("locate")
file, done, took, now = os.open("/data/map/data.mdb", os.O_RDONLY), 0, 0.0, int(time.time())
for _ in range(2):
    for at in range(int(sys.argv[1])):
        os.pread(file, 1 << 20, at << 20)
while True:
    size = int(sys.argv[2 if os.path.exists("/tmp/go") else 1])
    for at in range(size):
        began = time.time()
        os.pread(file, 1 << 20, at << 20).count(b"/holiday")
        done, took = done + 1, took + time.time() - began
        if int(time.time()) != now:
            print(now, done, round(took / done * 1000, 1), flush=True)
            done, took, now = 0, 0.0, int(time.time())
        time.sleep(0.03)
