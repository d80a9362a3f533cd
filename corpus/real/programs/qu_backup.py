"""Takes a backup of files, again and again: reads each part of 1 MB of them once for its checksum and once more for the copy that it sends. Arguments: MB a
second, the files."""
import os
import sys
import time
import zlib

with open("/proc/self/comm", "w") as name:
    name.write("pgbackrest")
rate, due = float(sys.argv[1]), time.time()
with open("/dev/null", "wb") as network:
    while True:
        for path in sys.argv[2:]:
            first, second = os.open(path, os.O_RDONLY), os.open(path, os.O_RDONLY)
            for at in range(0, os.path.getsize(path), 1 << 20):
                zlib.crc32(os.pread(first, 1 << 20, at))
                network.write(os.pread(second, 1 << 20, at))
                due = max(due + 1 / rate, time.time() - 1)
                time.sleep(max(0, due - time.time()))
            os.close(first)
            os.close(second)
