"""Reads logs from their beginning, again and again, and counts the lines of a part of each piece. Arguments: the logs."""
import sys

with open("/proc/self/comm", "w") as name:
    name.write("logreplay")
lines = 0
while True:
    for path in sys.argv[1:]:
        with open(path, "rb", 0) as file:
            while piece := file.read(1 << 20):
                lines += piece[:65536].count(b"\n")
