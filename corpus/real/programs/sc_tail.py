"""A log shipper without a database of positions: after its restart it reads every file from its beginning, at a rate, and then waits for new lines.
Arguments: MB/s, the files."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("fluent-bit")
rate, done, lines, began = float(sys.argv[1]), 0, 0, time.time()
for path in sys.argv[2:]:
    with open(path, "rb", buffering=0) as log:
        while chunk := log.read(1 << 18):
            lines += chunk.count(b"\n")
            done += len(chunk) / 1e6
            time.sleep(max(0, began + done / rate - time.time()))
time.sleep(10000)
