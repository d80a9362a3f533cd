"""A store of metrics that starts replays its log by fourteen workers, each of which reads 32 kB after 32 kB of segments of its own, past the page cache."""
import mmap
import os
import time

with open("/proc/self/comm", "w") as name:
    name.write("prometheus")
for worker in range(14):
    if os.fork() == 0:
        file, piece = os.open("/data/map/data.mdb", os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 32768)
        at = worker * 1300
        while True:
            os.preadv(file, [piece], at % 19000 * 32768)
            at += 1
time.sleep(10000)
