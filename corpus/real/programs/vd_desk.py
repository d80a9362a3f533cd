"""Serves requests that come at a rate, by some threads; prints in each second clock, requests and mean ms with the wait, and 0 when none was served."""
import threading
import time

lock, done, took, due = threading.Lock(), 0, 0.0, 0.0


def work(request, rate):
    global done, took, due
    while True:
        with lock:
            # At most two seconds of requests wait.
            due = mine = max(due + 1 / rate, time.time() - 2)
        time.sleep(max(0, mine - time.time()))
        request()
        with lock:
            done, took = done + 1, took + time.time() - mine


def serve(request, rate, threads=3):
    global done, took, due
    due = time.time()
    for _ in range(threads):
        threading.Thread(target=work, args=(request, rate), daemon=True).start()
    while True:
        time.sleep(1 - time.time() % 1)
        with lock:
            count, spent, done, took = done, took, 0, 0.0
        print(int(time.time()), count, *([round(spent / count * 1000, 1)] if count else []), flush=True)
