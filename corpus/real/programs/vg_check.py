"""Checks the sums of archived mailboxes, each file once. Arguments: MB per second, files."""
import sys
import time
import zlib

with open("/proc/self/comm", "w") as file:
    file.write("archivecheck")
for path in sys.argv[2:]:
    crc = 0
    with open(path, "rb", buffering=0) as file:
        while block := file.read(1 << 20):
            began = time.time()
            crc = zlib.crc32(block, crc)
            time.sleep(max(0.0, 1 / float(sys.argv[1]) - (time.time() - began)))
