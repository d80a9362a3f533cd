"""Eight workers read blocks of a volume for 60 requests a second; when /tmp/go exists only one of them goes on. A request's time counts from when it
came. Arguments: the device, the MB."""
import mmap
import os
import queue
import random
import sys
import threading
import time

device, size = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), int(sys.argv[2])
waiting, lock, done, took = queue.Queue(30), threading.Lock(), 0, 0.0


def worker(number):
    global done, took
    block = mmap.mmap(-1, 8192)
    while number == 0 or not os.path.exists("/tmp/go"):
        came = waiting.get()
        os.preadv(device, [block], random.randrange(size * 128) * 8192)
        with lock:
            done, took = done + 1, took + time.time() - came


for number in range(8):
    threading.Thread(target=worker, args=(number,), daemon=True).start()
now, due = int(time.time()), time.time()
while True:
    waiting.put(time.time())
    due = max(due + 1 / 60, time.time() - 0.2)
    time.sleep(max(0, due - time.time()))
    if int(time.time()) != now:
        with lock:
            count, spent, done, took = done, took, 0, 0.0
        print(now, count, *([round(spent / count * 1000, 1)] if count else []), flush=True)
        now = int(time.time())
