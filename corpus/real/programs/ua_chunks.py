"""Writes buffered log records to chunks of 1 MB as an agent does with `storage.sync full`: every 16 KB are synced. Arguments: the folder, the processes.
No output."""
import os
import sys

folder, number = sys.argv[1], 1
os.makedirs(folder, exist_ok=True)
while number < int(sys.argv[2]) and os.fork():
    number += 1
with open("/proc/self/comm", "w") as name:
    name.write("fluent-bit")
part, count = os.urandom(16384), 0
while True:
    path = f"{folder}/{number}.{count}.flb"
    file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    for _ in range(64):
        os.write(file, part)
        os.fsync(file)
    os.close(file)
    count += 1
