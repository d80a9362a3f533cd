"""Serves requests at a steady rate, and prints in each second how many, and how many ms one took."""
import time


def serve(request, batch=1, interval=0.05, behind=None):
    """Calls `request`, which serves `batch` requests, every `interval` seconds; prints clock, requests and ms of each."""
    behind = interval if behind is None else behind
    done, took, now, due = 0, 0, int(time.time()), time.time()
    while True:
        began = time.time()
        for _ in range(batch):
            request()
        took += time.time() - began
        done, due = done + batch, max(due + interval, time.time() - behind)
        time.sleep(max(0, due - time.time()))
        if int(time.time()) != now:
            print(now, done, round(took / done * 1000, 1), flush=True)
            done, took, now = 0, 0, int(time.time())
