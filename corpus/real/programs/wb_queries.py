"""Answers eight queries a second, of 4 ms of a CPU each. With an argument, that many for 14 s from when /tmp/go exists."""
import os
import sys
import threading
import time

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("queryd")
began, loops = time.process_time(), 0
while time.process_time() - began < 0.3:
    sum(range(500))
    loops += 1
each, seen = max(1, int(loops / 0.3 * 0.004)), None
threading.Thread(target=g_steady.report, daemon=True).start()
while True:
    began = time.time()
    for _ in range(each):
        sum(range(500))
    g_steady.done, g_steady.took = g_steady.done + 1, g_steady.took + time.time() - began
    if seen is None and len(sys.argv) > 1 and os.path.exists("/tmp/go"):
        seen = began
    rate = int(sys.argv[1]) if seen and began - seen < 14 else 8
    time.sleep(max(0, began + 1 / rate - time.time()))
