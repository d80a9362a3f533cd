"""Answers 15 requests a second that arrive whether it keeps up or not, with six threads: each reads four pages of the term that everybody looks
at, in a file. While /tmp/published exists they look at another term. Who has waited for 2 s asks once more; who has waited for 4 s is gone.
Arguments: the file, MB of a term, MB at which the other term begins."""
import os
import queue
import random
import sys
import threading
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("results")
file, size, other = os.open(sys.argv[1], os.O_RDONLY), int(sys.argv[2]) * 256, int(sys.argv[3]) * 256
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
waiting, times, lock = queue.Queue(), [], threading.Lock()


def answer():
    while True:
        came, again = waiting.get()
        if time.time() - came > 4:
            continue
        if time.time() - came > 2 and not again:
            waiting.put((came, True))
        first = other if os.path.exists("/tmp/published") else 0
        for _ in range(4):
            os.pread(file, 4096, (first + random.randrange(size)) * 4096)
        if not again:
            with lock:
                times.append(time.time() - came)


def report():
    now = int(time.time())
    while True:
        time.sleep(max(0, now + 1 - time.time()))
        with lock:
            fresh = times[:]
            times.clear()
        print(now, len(fresh), *([round(sum(fresh) / len(fresh) * 1000, 1)] if fresh else []), flush=True)
        now += 1


for page in range(0, size, 256):
    os.pread(file, 1 << 20, page * 4096)
for target in (report, *[answer] * 6):
    threading.Thread(target=target, daemon=True).start()
due = time.time()
while True:
    waiting.put((time.time(), False))
    due += 1 / 15
    time.sleep(max(0, due - time.time()))
