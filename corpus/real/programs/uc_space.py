"""The workspace of a developer who is away: holds so many MB and does nothing. From when /tmp/go exists it goes through them once, at so many MB a second. Arguments:
the MB, the MB a second. Prints nothing."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("workspace")
held = [bytearray(b"w") * (1 << 20) for _ in range(int(sys.argv[1]))]
while not os.path.exists("/tmp/go"):
    time.sleep(0.5)
for block in held:
    block[::4096] = b"v" * 256
    time.sleep(1 / float(sys.argv[2]))
time.sleep(10000)
