"""A release of a web application. Arguments: MiB that it preloads, requests per second (0: it only preloads, to take over later)."""
import mmap
import sys
import time

preload, rate = int(sys.argv[1]), float(sys.argv[2])
kept = []
for _ in range(preload):
    kept.append(b"\1" * (1 << 20))
if not rate:
    time.sleep(300)
due, second, count, spent = time.time(), int(time.time()), 0, 0.0
while True:
    due = max(due + 1 / rate, time.time() - 1)
    if (wait := due - time.time()) > 0:
        time.sleep(wait)
    began = time.time()
    # A page is rendered in 1 MiB of fresh memory.
    with mmap.mmap(-1, 1 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as fresh:
        for at in range(0, 1 << 20, 4096):
            fresh[at] = 1
    spent, count = spent + time.time() - began, count + 1
    if int(time.time()) != second:
        print(second, count, f"{spent / count * 1000:.1f}", flush=True)
        second, count, spent = int(time.time()), 0, 0.0
