"""Sorts in memory: takes so many MiB, 30 a second, and then passes over them again and again. Argument: the MiB."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("sorter")
runs = []
for _ in range(int(sys.argv[1])):
    runs.append(bytearray(b"r") * 1048576)
    time.sleep(1 / 30)
while True:
    for run in runs:
        run[::4096] = b"m" * 256
