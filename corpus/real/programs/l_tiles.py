"""Changes 300 random blocks a second of a file of 24 MB, all of which is cached, and syncs nothing."""
import os
import random

import pace

with open("/data/sketch", "wb") as start:
    start.write(os.urandom(24 << 20))
os.sync()
file = os.open("/data/sketch", os.O_RDWR)
for at in range(24):
    os.pread(file, 1 << 20, at << 20)
pace.serve(lambda: os.pwrite(file, b"t" * 4096, random.randrange(6144) * 4096), batch=15)
