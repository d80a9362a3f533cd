"""Changes random blocks of a file of 40 MB and waits for each. Arguments: the file, the blocks in a second."""
import os
import random
import sys

import pace

file = os.open(sys.argv[1], os.O_CREAT | os.O_RDWR | os.O_DSYNC)
for _ in range(40):
    os.write(file, b"a" * 1048576)
pace.serve(lambda: os.pwrite(file, b"z" * 4096, random.randrange(10240) * 4096), interval=1 / float(sys.argv[2]))
