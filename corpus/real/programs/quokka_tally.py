"""Requests arrive at random (Poisson), wait in a queue of at most 40 and are served by threads; prints each second how many, and ms of each."""
import queue
import random
import threading
import time


def serve(request, rate, workers=2):
    """Calls `request`, which raises OSError or returns False where it fails; what failed does not count."""
    waiting, took = queue.SimpleQueue(), []

    def work():
        while True:
            came = waiting.get()
            try:
                if request() is not False:
                    took.append(time.time() - came)
            except OSError:
                time.sleep(0.1)

    for _ in range(workers):
        threading.Thread(target=work, daemon=True).start()
    due = time.time()
    now = int(due)
    while True:
        due += random.expovariate(rate)
        time.sleep(max(0, due - time.time()))
        if waiting.qsize() < 40:
            waiting.put(time.time())
        if int(time.time()) != now:
            told = took[:]
            del took[: len(told)]
            print(now, len(told), *([round(sum(told) / len(told) * 1000, 1)] if told else []), flush=True)
            now = int(time.time())
