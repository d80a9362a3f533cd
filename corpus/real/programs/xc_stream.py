"""Reads files in order, again and again, at a rate. Arguments: its name, MB/s, the files."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write(sys.argv[1])
began, done = time.time(), 0
while True:
    for path in sys.argv[3:]:
        with open(path, "rb", buffering=0) as file:
            while file.read(1 << 19):
                done += 0.5
                time.sleep(max(0, began + done / float(sys.argv[2]) - time.time()))
