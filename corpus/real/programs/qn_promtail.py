"""A log agent that catches up: reads a log once from its beginning at MB a second, counts its lines by their first letters, and starts anew at its end.
Arguments: the log, MB/s. No output."""
import collections
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("promtail")
seen, rate = collections.Counter(), float(sys.argv[2])
log = open(sys.argv[1], "rb")
due = time.time()
while True:
    block = log.read(262144)
    if not block:
        log.seek(0)
    seen.update(line[:1] for line in block.splitlines())
    due = max(due + 0.25 / rate, time.time() - 1)
    time.sleep(max(0, due - time.time()))
