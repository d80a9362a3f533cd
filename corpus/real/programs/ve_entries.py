"""A replicated log in a file that was allocated before: some entries a second in place, each synced, and a checksum page every tenth. Arguments:
the file, the entries a second."""
import os
import random
import sys

import g_steady

file = os.open(sys.argv[1], os.O_CREAT | os.O_RDWR)
for _ in range(8):
    os.write(file, bytes(1 << 20))
os.fsync(file)
count = 0


def entry():
    global count
    count += 1
    os.pwrite(file, b"r" * random.randrange(200, 6000), 4096 + count * 4096 % 8000000)
    if count % 10 == 0:
        os.pwrite(file, b"c" * 512, 0)
    os.fdatasync(file)


g_steady.serve(entry, float(sys.argv[2]))
