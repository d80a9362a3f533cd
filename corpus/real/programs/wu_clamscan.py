"""Scans files for viruses: loads MB of signatures, then reads small files for some seconds and looks at signatures all over for each, and ends. Arguments:
the MB, MB a second, the seconds, the folder."""
import os
import random
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("clamscan")
signatures = []
for _ in range(int(sys.argv[1])):
    signatures.append(bytearray(os.urandom(4096) * 256))
    time.sleep(1 / float(sys.argv[2]))
end = time.time() + float(sys.argv[3])
while time.time() < end:
    with open(f"{sys.argv[4]}/{random.randrange(600)}/{random.randrange(100)}", "rb") as file:
        file.read()
    for part in random.sample(signatures, 20):
        part[random.randrange(1 << 20)] = 1
    time.sleep(0.01)
