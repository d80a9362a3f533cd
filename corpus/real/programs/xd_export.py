"""Writes parts of an export of 1 MB each into a folder on tmpfs; when it is full it tries again once a second. Arguments: the folder, MB, MB/s."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("exportd")
part, count = b"e" * (1 << 20), 0
while count < int(sys.argv[2]):
    try:
        with open(f"{sys.argv[1]}/{count}", "wb", 0) as file:
            if file.write(part) < len(part):
                raise OSError
        count += 1
        time.sleep(1 / float(sys.argv[3]))
    except OSError:
        time.sleep(1)
time.sleep(10000)
