"""A cache of values in memory, filled at 40 MB a second, that then answers requests, each of so many values of a page. Arguments: MB, requests a
second, values of each, `set` to change them. Prints each second how many were answered."""
import random
import sys
import threading
import time

open("/proc/self/comm", "w").write("memcached")
size, rate, each = (int(value) for value in sys.argv[1:4])
change = sys.argv[4:] == ["set"]
slabs = []
while len(slabs) < size:
    slabs.append(bytearray(b"v") * 1048576)
    time.sleep(1 / 40)
done, took = 0, 0.0


def report():
    global done, took
    while True:
        time.sleep(1 - time.time() % 1 + 0.01)
        count, ms, done, took = done, took, 0, 0.0
        print(int(time.time()) - 1, count, *([round(ms / count * 1000, 1)] if count else []), flush=True)


threading.Thread(target=report, daemon=True).start()
due = time.time()
while True:
    began = time.time()
    for _ in range(each):
        slab, at = slabs[random.randrange(size)], random.randrange(256) * 4096
        if change:
            slab[at] = 120
        else:
            slab[at]
    took += time.time() - began
    done += 1
    due = max(due + 1 / rate, time.time() - 0.2)
    time.sleep(max(0, due - time.time()))
