"""A batch that settles accounts: holds the lock of the stock while it reads 200 pages, one after the other. Argument: the device."""
import fcntl
import mmap
import os
import random
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("settle")
base, room = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 4096)
while True:
    lock = os.open("/tmp/stock.lock", os.O_CREAT | os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    for _ in range(200):
        os.preadv(base, [room], random.randrange(40000) * 4096)
    os.close(lock)
    time.sleep(0.1)
