"""A GROUP BY with more keys than its memory holds writes buckets to temporary files as fast as it can, and deletes those that were merged.
Arguments: the folder; threads."""
import os
import sys
import threading

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
block = os.urandom(1024) * 1024


def spill(thread):
    bucket = 0
    while True:
        file = os.open(f"{folder}/tmp{thread}.{bucket}", os.O_CREAT | os.O_WRONLY)
        for _ in range(48):
            os.write(file, block)
        os.close(file)
        if bucket > 2:
            os.unlink(f"{folder}/tmp{thread}.{bucket - 2}")
        bucket += 1


for thread in range(int(sys.argv[2])):
    threading.Thread(target=spill, args=(thread,)).start()
