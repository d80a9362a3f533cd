"""Reads random blocks of a device around the page cache, as requests arrive (Poisson), on some threads; a request waits in a queue of at most
100 until a thread is free. Arguments: the device, its MB, requests a second, threads, bytes of a block."""
import mmap
import os
import queue
import random
import sys
import threading
import time

device = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
size, rate, workers, block = map(int, sys.argv[2:6])
waiting, took = queue.SimpleQueue(), []


def work():
    room = mmap.mmap(-1, block)
    while True:
        came = waiting.get()
        os.preadv(device, [room], random.randrange((size << 20) // block) * block)
        took.append(time.time() - came)


for _ in range(workers):
    threading.Thread(target=work, daemon=True).start()
due = time.time()
now = int(due)
while True:
    due += random.expovariate(rate)
    time.sleep(max(0, due - time.time()))
    if waiting.qsize() < 100:
        waiting.put(time.time())
    if int(time.time()) != now:
        told, took = took, []
        print(now, len(told), *([round(sum(told) / len(told) * 1000, 1)] if told else []), flush=True)
        now = int(time.time())
