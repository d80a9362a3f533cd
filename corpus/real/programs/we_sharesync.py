"""Sends blocks of files to clients, 96 a second: eight workers read them, around the page cache, from a volume that is far away. From when
/tmp/go exists there is one worker. Argument: the device."""
import mmap
import os
import random
import sys
import threading
import time

with open("/proc/self/comm", "w") as name:
    name.write("sharesync")
device, lock, done, took = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), threading.Lock(), 0, 0.0


def work(number):
    global done, took
    block, due = mmap.mmap(-1, 8192), time.time() + number / 96
    while True:
        alone = os.path.exists("/tmp/go")
        if alone and number:
            return
        began = time.time()
        os.preadv(device, [block], random.randrange(110 * 128) * 8192)
        with lock:
            done, took = done + 1, took + time.time() - began
        due = max(due + (1 / 96 if alone else 1 / 12), time.time() - 0.1)
        time.sleep(max(0, due - time.time()))


for number in range(8):
    threading.Thread(target=work, args=(number,), daemon=True).start()
while True:
    time.sleep(1 - time.time() % 1)
    with lock:
        count, spent, done, took = done, took, 0, 0.0
    print(int(time.time()), count, *([round(spent / count * 1000, 1)] if count else []), flush=True)
