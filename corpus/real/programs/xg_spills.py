"""Sorts of a database that spill: one after the other writes 12 MB to a temporary file, reads it back, and removes it within two seconds. Argument: the
folder."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("spills")
run, count = os.urandom(1 << 20), 0
while True:
    count += 1
    path = f"{sys.argv[1]}/pgsql_tmp.{count}"
    with open(path, "w+b", 0) as file:
        for _ in range(12):
            file.write(run)
            time.sleep(0.03)
        file.seek(0)
        while file.read(1 << 18):
            time.sleep(0.01)
    os.unlink(path)
    time.sleep(0.8)
