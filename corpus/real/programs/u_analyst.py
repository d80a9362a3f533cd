"""Counts something in all of the files of a folder, twice: reads them from begin to end. Argument: the folder."""
import os
import sys

with open("/proc/self/comm", "w") as name:
    name.write("analyst")
found = 0
for path in sorted(os.scandir(sys.argv[1]), key=lambda entry: entry.name) * 2:
    with open(path, "rb", 0) as file:
        while part := file.read(1 << 20):
            found += part.count(b"\n\n")
print(found)
