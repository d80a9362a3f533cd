"""An application with a pool of five connections and 20 requests a second, each of which has one for 5 ms; from when /tmp/go exists one request in
eight forgets to give it back, and who gets none in 2 s fails. Prints the requests that succeed."""
import os
import random
import threading
import time

pool, lock, done, took = threading.Semaphore(5), threading.Lock(), 0, 0.0


def worker():
    global done, took
    while True:
        time.sleep(random.uniform(0.3, 0.5))
        began = time.time()
        if not pool.acquire(timeout=2):
            continue
        time.sleep(0.005)
        if random.random() > 1 / 8 or not os.path.exists("/tmp/go"):
            pool.release()
        with lock:
            done, took = done + 1, took + time.time() - began


for _ in range(8):
    threading.Thread(target=worker, daemon=True).start()
while True:
    time.sleep(1 - time.time() % 1)
    with lock:
        count, spent, done, took = done, took, 0, 0.0
    print(int(time.time()), count, *([round(spent / count * 1000, 1)] if count else []), flush=True)
