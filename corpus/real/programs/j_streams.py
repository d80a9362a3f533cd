"""Processes that read a file from different places to its end, and then from its beginning, in pieces of 64 KB. Arguments: their name, the
file, how many."""
import os
import sys

name, path, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with open("/proc/self/comm", "w") as comm:
    comm.write(name)
for number in range(1, count):
    if not os.fork():
        break
else:
    number = 0
file = os.open(path, os.O_RDONLY)
os.lseek(file, os.fstat(file).st_size * number // count // 4096 * 4096, os.SEEK_SET)
while True:
    if not os.read(file, 65536):
        os.lseek(file, 0, os.SEEK_SET)
