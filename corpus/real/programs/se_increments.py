"""A charging engine that holds MB of accounts; from when /tmp/go exists it splits one call into ever more increments and keeps all of them, MB a second
without end. Arguments: the MB, the MB a second."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("cgr-engine")
accounts = [bytearray(b"a") * 1048576 for _ in range(int(sys.argv[1]))]
increments = []
while True:
    if os.path.exists("/tmp/go"):
        increments.append(bytearray(b"i") * 1048576)
    time.sleep(1 / float(sys.argv[2]))
