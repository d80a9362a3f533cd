"""A training job takes 80 samples a second of 16 KB, which threads read around the page cache at random places of a device. When a file of that name
appears, only one thread reads. Arguments: the device, the threads, the file. Prints clock, samples and ms of a read, every second."""
import mmap
import os
import queue
import random
import sys
import threading
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("trainer")
device = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
blocks = os.lseek(device, 0, os.SEEK_END) // 16384
wanted, state = queue.Queue(12), [0, 0.0]


def load(number):
    room = mmap.mmap(-1, 16384)
    while number == 0 or not os.path.exists(sys.argv[3]):
        wanted.get()
        began = time.time()
        os.preadv(device, [room], random.randrange(blocks) * 16384)
        state[0], state[1] = state[0] + 1, state[1] + time.time() - began


def report():
    while True:
        time.sleep(1 - time.time() % 1)
        (done, took), state[:] = state, [0, 0.0]
        print(int(time.time()), done, *([round(took / done * 1000, 1)] if done else []), flush=True)


threading.Thread(target=report, daemon=True).start()
for one in range(int(sys.argv[2])):
    threading.Thread(target=load, args=(one,), daemon=True).start()
due = time.time()
while True:
    wanted.put(None)
    due = max(due + 1 / 80, time.time() - 0.1)
    time.sleep(max(0, due - time.time()))
