"""A genome browser reads 10 blocks of 4 KB 20 times a second, at random in the first MiB of a reference, which it has read twice before.
Arguments: the file, MiB."""
import os
import random
import sys

import pace

file, size = os.open(sys.argv[1], os.O_RDONLY), int(sys.argv[2])
for _ in range(2):
    for at in range(size):
        os.pread(file, 1 << 20, at << 20)


def view():
    for _ in range(10):
        os.pread(file, 4096, random.randrange(size * 256) * 4096)


pace.serve(view)
