"""A storm of connections: one server process for each, and each fills its own caches of tables and plans and then idles. Arguments:
connections, MB of each, seconds in which all of them come. It prints nothing."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("pgbackend")
many, size, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
for _ in range(many):
    if not os.fork():
        held = [bytearray(b"r") * 1048576 for _ in range(size)]
        break
    time.sleep(seconds / many)
time.sleep(10000)
