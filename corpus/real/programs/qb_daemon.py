"""A daemon of containers that starts again: reads what it knows of its layers and containers, small files, some hundred a second, and keeps their names.
Arguments: files a second, the folder."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("dockerd")
known = {}
for folder, _, names in os.walk(sys.argv[2]):
    for name in names:
        with open(f"{folder}/{name}", "rb") as file:
            known[f"{folder}/{name}"] = file.read(64)
        time.sleep(1 / float(sys.argv[1]))
time.sleep(10000)
