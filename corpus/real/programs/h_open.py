"""Serves requests that come whether or not the last one is done; prints in each second how many, and their mean ms with the wait."""
import random
import time


def serve(request, rate):
    """Calls `request` about `rate` times a second, with pauses that vary; at most two seconds of requests wait."""
    done, took, now, due = 0, 0.0, int(time.time()), time.time()
    while True:
        due = max(due + random.uniform(0.6, 1.4) / rate, time.time() - 2)
        time.sleep(max(0, due - time.time()))
        request()
        done, took = done + 1, took + time.time() - due
        if int(time.time()) != now:
            print(now, done, round(took / done * 1000, 1), flush=True)
            done, took, now = 0, 0.0, int(time.time())
