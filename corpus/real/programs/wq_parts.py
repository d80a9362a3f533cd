"""The gateway of an object store gets the parts of large uploads: it keeps up to 60 MB of them in its memory, and writes 4 MB a second to a file, in files of
40 MB of which three are kept. Argument: the folder."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("s3gateway")
os.makedirs(sys.argv[1], exist_ok=True)
parts, number = [], 0
while True:
    with open(f"{sys.argv[1]}/{number % 3}.part", "wb", 0) as file:
        for _ in range(10):
            for _ in range(4):
                parts.append(bytearray(os.urandom(4096)) * 256)
                file.write(parts[-1])
            del parts[:-60]
            time.sleep(1)
    number += 1
