"""A broker's fetcher takes over partitions, with a throttle: it copies segments in pieces of 256 KB at MB a second, and syncs a segment when it is full (64 MB).
Arguments: MB a second, the target folder, the segments."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("ReplicaFetcher")
rate, folder = float(sys.argv[1]), sys.argv[2]
os.makedirs(folder, exist_ok=True)
due = time.time()
for part in sys.argv[3:]:
    source = open(part, "rb", 0)
    target = os.open(f"{folder}/{os.path.basename(part)}.log", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    written = 0
    while piece := source.read(1 << 18):
        os.write(target, piece)
        written += len(piece)
        if written % (64 << 20) == 0:
            os.fdatasync(target)
        due = max(due + 0.25 / rate, time.time() - 1)
        time.sleep(max(0, due - time.time()))
    os.close(target)
