"""Splits the reads of a sequencer by sample: appends pieces of 64 KB to the files of samples in turn, without a sync, 20 MB a second at most. A file begins anew
after MB. Arguments: the folder, the samples, the MB."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("bcl2fastq")
folder, samples, most = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) << 20
os.makedirs(folder, exist_ok=True)
files = [os.open(f"{folder}/sample{number}_R1.fastq.gz", os.O_CREAT | os.O_WRONLY) for number in range(samples)]
piece, at, due = os.urandom(1 << 16), 0, time.time()
while True:
    for file in files:
        os.pwrite(file, piece, at % most)
        due = max(due + 1 / 320, time.time() - 1)
        time.sleep(max(0, due - time.time()))
    at += len(piece)
