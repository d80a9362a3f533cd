"""Searches of a journal: each of some processes maps a file and follows entries that lie anywhere in it, a page of 4 KB for each. Arguments: the file, the
processes."""
import mmap
import os
import random
import sys

with open("/proc/self/comm", "w") as name:
    name.write("journalctl")
for _ in range(int(sys.argv[2]) - 1):
    if os.fork() == 0:
        break
random.seed(os.getpid())
with open(sys.argv[1], "rb") as file:
    journal = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
journal.madvise(mmap.MADV_RANDOM)
while True:
    journal[random.randrange(len(journal))]
