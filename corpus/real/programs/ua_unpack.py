"""Unpacks archives of tenants: each process writes files of 8 MB one after the other, without a sync. Arguments: the folder, the processes, files of each.
No output."""
import os
import sys

folder, number = sys.argv[1], 1
os.makedirs(folder, exist_ok=True)
while number < int(sys.argv[2]) and os.fork():
    number += 1
with open("/proc/self/comm", "w") as name:
    name.write("unpacker")
part = os.urandom(1 << 20)
for count in range(int(sys.argv[3])):
    with open(f"{folder}/{number}.{count}", "wb", 0) as file:
        for _ in range(8):
            file.write(part)
