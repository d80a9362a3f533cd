"""Copies files to an object store in parts of MB: it reads a part for its checksum, goes back and reads it again to send it. Again and again. Arguments:
the MB, the files."""
import os
import sys

with open("/proc/self/comm", "w") as name:
    name.write("s3copy")
part = int(sys.argv[1])
while True:
    for name in sys.argv[2:]:
        file = os.open(name, os.O_RDONLY)
        for first in range(0, os.fstat(file).st_size >> 20, part):
            for _ in range(2):
                for at in range(first, first + part):
                    os.pread(file, 1 << 20, at << 20)
        os.close(file)
