"""A collector whose exporter is away: its queue grows by 12 MB a second, and its memory limiter drops all of it at MB. Argument: the MB."""
import mmap
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("otelcol")
queue = []
while True:
    batch = mmap.mmap(-1, 1 << 20)
    batch.write(b"s" * (1 << 20))
    queue.append(batch)
    if len(queue) >= int(sys.argv[1]):
        for batch in queue:
            batch.close()
        queue.clear()
    time.sleep(1 / 12)
