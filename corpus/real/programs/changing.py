"""Changes 300 random blocks of a file of 40 MB each second."""
import os
import random

import pace

file = os.open("/data/blocks", os.O_CREAT | os.O_RDWR)
for _ in range(40):
    os.write(file, b"a" * 1048576)
pace.serve(lambda: os.pwrite(file, b"z" * 4096, random.randrange(10240) * 4096), batch=30, interval=0.1)
