"""A member of an etcd cluster that starts: reads its whole database through a mapping, then looks at a few pages of it now and then. Prints nothing.
Arguments: the database, its MB."""
import mmap
import os
import random
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("etcd")
file, size = os.open(sys.argv[1], os.O_RDONLY), int(sys.argv[2]) << 20
base = mmap.mmap(file, size, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ)
for at in range(0, size, 4096):
    base[at]
while True:
    for _ in range(5):
        base[random.randrange(size)]
    time.sleep(0.5)
