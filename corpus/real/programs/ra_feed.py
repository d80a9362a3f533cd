"""A feed that makes each answer of blocks of 8 KB, which it reads at random around the page cache with a pool of eight threads; what comes while forty wait is refused.
Arguments: the file, its MB, blocks of an answer, requests a second, and requests a second once /tmp/switched exists. Prints clock, answers, ms from request to answer."""
import mmap
import os
import queue
import random
import sys
import threading
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("feedd")
file = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
count, blocks = (int(sys.argv[2]) << 20) // 8192, int(sys.argv[3])
usual, more = float(sys.argv[4]), float(sys.argv[5])
waiting, lock = queue.Queue(40), threading.Lock()
done, took = 0, 0.0


def answer():
    global done, took
    room = mmap.mmap(-1, 8192)
    while True:
        came = waiting.get()
        for _ in range(blocks):
            os.preadv(file, [room], random.randrange(count) * 8192)
        with lock:
            done, took = done + 1, took + time.time() - came


def report():
    global done, took
    while True:
        time.sleep(1 - time.time() % 1)
        with lock:
            answers, spent, done, took = done, took, 0, 0.0
        print(int(time.time()), answers, *([round(spent / answers * 1000, 1)] if answers else []), flush=True)


for _ in range(8):
    threading.Thread(target=answer, daemon=True).start()
threading.Thread(target=report, daemon=True).start()
due, rate = time.time(), usual
while True:
    try:
        waiting.put_nowait(time.time())
    except queue.Full:
        pass
    if rate == usual and os.path.exists("/tmp/switched"):
        rate = more
    due = max(due + 1 / rate, time.time() - 1)
    time.sleep(max(0, due - time.time()))
