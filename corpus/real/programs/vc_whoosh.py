"""An indexer of package names collects postings in memory, 12 MB a second, until it has so many MiB. Argument: MiB."""
import sys
import time

postings = []
for _ in range(int(sys.argv[1])):
    postings.append(bytearray(b"w") * 1048576)
    time.sleep(1 / 12)
time.sleep(1000)
