"""A log shipper whose destination does not answer: it keeps chunks of 1 MiB as files in its buffer, and never removes one. Prints nothing. Arguments:
the folder, chunks a second."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("fluent-bit")
os.makedirs(sys.argv[1], exist_ok=True)
chunk = 0
while True:
    with open(f"{sys.argv[1]}/chunk{chunk}", "wb") as out:
        out.write(b"l" * (1 << 20))
    chunk += 1
    time.sleep(1 / float(sys.argv[2]))
