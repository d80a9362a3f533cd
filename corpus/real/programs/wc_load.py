"""Serves requests that come at random times, on one thread. A request's time counts from when it came; one that would wait for more than two
seconds is refused. Prints in each second how many were served, and their mean ms."""
import random
import time


def serve(request, rate, comm=None):
    if comm:
        with open("/proc/self/comm", "w") as name:
            name.write(comm)
    done, took, now, due = 0, 0.0, int(time.time()), time.time()
    while True:
        due = max(due + random.expovariate(rate), time.time() - 2)
        time.sleep(max(0, due - time.time()))
        request()
        done, took = done + 1, took + time.time() - due
        if int(time.time()) != now:
            print(now, done, round(took / done * 1000, 1), flush=True)
            done, took, now = 0, 0.0, int(time.time())
