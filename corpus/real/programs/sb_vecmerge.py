"""Merges segments with raw vectors: reads 80 MB of a file three times (checksum, copy, quantization), writes them into a merged file, and goes on with the
next 80 MB, and then with the next file, without end. Arguments: the merged file, the files. Prints nothing."""
import os
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("lucene-merge")
PART = 80
merged = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY)
at = 0
while True:
    for path in sys.argv[2:]:
        file = os.open(path, os.O_RDONLY)
        for part in range(2):
            for number in range(3):
                for n in range(PART):
                    vectors = os.pread(file, 1 << 20, part * PART + n << 20)
                    if number == 1:
                        os.pwrite(merged, vectors, at % 400 << 20)
                        at += 1
        os.close(file)
