"""Loader processes of a training job that take batches of 12 windows of 2 KB at random places of a file of tokens, 3 batches a second each. They map
the file anew for each batch, and give the kernel no advice. Arguments: the file, the processes."""
import mmap
import os
import random
import sys
import time

processes, number = int(sys.argv[2]), 0
while number < processes - 1 and os.fork():
    number += 1
with open("/proc/self/comm", "w") as comm:
    comm.write("get_batch")
random.seed(os.getpid())
while True:
    began = time.time()
    with open(sys.argv[1], "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as tokens:
        for _ in range(12):
            at = random.randrange(len(tokens) // 4096) * 4096
            tokens[at : at + 2048]
    time.sleep(max(0, began + 1 / 3 - time.time()))
