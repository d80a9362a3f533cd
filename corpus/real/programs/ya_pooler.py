"""A connection pooler. From when /tmp/go exists (a driver names each statement anew) it keeps every prepared statement that it has ever seen: 4 MB a second,
until it has so many. Argument: the MB."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("pooler")
statements = {}
while not os.path.exists("/tmp/go"):
    time.sleep(0.3)
due = time.time()
while len(statements) < int(sys.argv[1]) * 8:
    statements["S_%d" % len(statements)] = bytearray(b"select " * 18725)
    due = max(due + 1 / 32, time.time() - 1)
    time.sleep(max(0, due - time.time()))
time.sleep(10000)
