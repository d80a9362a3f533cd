"""Delivers webhooks to an endpoint that is down: each worker saves the state of its job (attempt, next time), syncs it, and tries again after 5 ms
as somebody set the backoff in ms instead of s. Argument: the workers."""
import os
import sys
import threading
import time

with open("/proc/self/comm", "w") as name:
    name.write("retryd")
os.makedirs("/data/jobs", exist_ok=True)


def worker(number):
    file = os.open(f"/data/jobs/{number}", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    while True:
        os.write(file, b'{"attempt": 1, "error": "connection refused"}\n' * 12)
        os.fsync(file)
        time.sleep(0.005)


for number in range(int(sys.argv[1])):
    threading.Thread(target=worker, args=(number,)).start()
