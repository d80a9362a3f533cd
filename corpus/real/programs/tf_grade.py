"""Marks ten notebooks a second, each of which needs 512 KB of new memory. Prints for each second the clock, how many were marked, and ms of one."""
import mmap
import threading
import time

done = took = 0


def report():
    global done, took
    now = int(time.time())
    while True:
        time.sleep(max(0, now + 1 - time.time()))
        count, spent, done, took = done, took, 0, 0
        print(now, count, *([round(spent / count * 1000, 1)] if count else []), flush=True)
        now += 1


threading.Thread(target=report, daemon=True).start()
due = time.time()
while True:
    began = time.time()
    with mmap.mmap(-1, 524288) as cell:
        for at in range(0, 524288, 4096):
            cell[at] = 1
    took += time.time() - began
    done += 1
    due = max(due + 0.1, time.time() - 0.1)
    time.sleep(max(0, due - time.time()))
