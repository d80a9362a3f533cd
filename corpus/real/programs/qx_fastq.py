"""Goes through files of reads once, one after the other, and checks them. Prints nothing. Arguments: MB a second, the files."""
import sys
import time
import zlib

with open("/proc/self/comm", "w") as name:
    name.write("fastp")
rate, began, done = float(sys.argv[1]), time.time(), 0
for path in sys.argv[2:]:
    with open(path, "rb", 0) as file:
        while block := file.read(1 << 20):
            zlib.crc32(block)
            done += 1
            time.sleep(max(0, began + done / rate - time.time()))
time.sleep(10000)
