"""Sixteen threads of a reporting job read blocks of 8 KB at random around the page cache, as fast as the disk allows. Arguments: the file or disk,
its MB."""
import mmap
import os
import random
import sys
import threading

with open("/proc/self/comm", "w") as comm:
    comm.write("reports")
file, blocks = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), int(sys.argv[2]) * 128


def read():
    room = mmap.mmap(-1, 8192)
    while True:
        os.preadv(file, [room], random.randrange(blocks) * 8192)


workers = [threading.Thread(target=read) for _ in range(16)]
for worker in workers:
    worker.start()
