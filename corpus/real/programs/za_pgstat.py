"""A collector of statistics writes all of them, MB, to a temporary file twice a second and renames it; three backends read it each time. Arguments: the
folder, the MB."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("statscollector")
folder, piece = sys.argv[1], os.urandom(1 << 20)
while True:
    with open(f"{folder}/global.tmp", "wb", 0) as file:
        for _ in range(int(sys.argv[2])):
            file.write(piece)
    os.rename(f"{folder}/global.tmp", f"{folder}/global.stat")
    for _ in range(3):
        with open(f"{folder}/global.stat", "rb", 0) as file:
            while file.read(1 << 18):
                pass
    time.sleep(0.5)
