"""Checks the pool of a mirror over and over: reads each package of 16 MB twice, for its checksum and then for its control data."""
import os

with open("/proc/self/comm", "w") as comm:
    comm.write("apt-ftparchive")
pool, room = [os.open(f"/bulk/media/part{n}", os.O_RDONLY) for n in range(1, 7)], bytearray(1 << 20)
while True:
    for package in range(12):
        for section in pool:
            for _ in range(2):
                for at in range(16):
                    os.preadv(section, [room], (package * 16 + at) << 20)
