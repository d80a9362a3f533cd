"""A service whose collector walks all live objects of its heap each tenth of its requests, ten a second, of which few live. When /tmp/go exists a
cache keeps 8000 objects of each request, so that the heap is nearly full, and the collector, which finds little, runs for each request."""
import gc
import os
import time

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("rulesvm")
gc.disable()
live, cost, since = [[] for _ in range(5000)], 0.0, 0
# Modules and the interpreter's own objects are not walked.
gc.freeze()


def request():
    global cost, since
    parsed = [[] for _ in range(8000)]
    if cost < 0.35 and os.path.exists("/tmp/go"):
        live.extend(parsed)
    since += 1
    if since >= 10 * (1 - cost / 0.15):
        began, since = time.process_time(), 0
        gc.collect()
        cost = time.process_time() - began


g_steady.serve(request, 10)
