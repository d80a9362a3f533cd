"""A shipper of logs whose output does not answer: buffers 20 MB a second in memory from when /tmp/go exists, up to so many MB. Argument: the MB. Prints nothing."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("fluent-bit")
MIB = 1 << 20
chunks = [bytearray(b"l") * MIB for _ in range(20)]
while True:
    time.sleep(0.05)
    if os.path.exists("/tmp/go") and len(chunks) < int(sys.argv[1]):
        chunks.append(bytearray(b"l") * MIB)
