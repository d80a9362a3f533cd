"""Columns of an analytics store, 1.2 GB on another disk: each is read for a sum of a few of its bytes, again and again, at up to 80 MB/s."""
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("rollup")
began, read, total = time.time(), 0, 0
while True:
    for part in range(1, 7):
        with open(f"/bulk/media/part{part}", "rb", 0) as file:
            while piece := file.read(1 << 20):
                total += sum(piece[::16384])
                read += len(piece)
                time.sleep(max(0, began + read / 80e6 - time.time()))
