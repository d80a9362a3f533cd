"""A document server with 1200 collections, each a file of its own. From when /tmp/go exists all of them are dirty at each checkpoint, and eight threads
write a page of each and sync it, file by file, again and again."""
import os
import threading
import time

open("/proc/self/comm", "w").write("mongod")
os.makedirs("/data/collections", exist_ok=True)
for number in range(1200):
    with open(f"/data/collections/{number}.wt", "wb") as file:
        file.write(b"w" * 8192)
os.sync()
print("ready", flush=True)
while not os.path.exists("/tmp/go"):
    time.sleep(0.2)


def checkpoint(first):
    while True:
        for number in range(first, 1200, 8):
            file = os.open(f"/data/collections/{number}.wt", os.O_WRONLY)
            os.pwrite(file, os.urandom(4096), 0)
            os.fsync(file)
            os.close(file)


for first in range(7):
    threading.Thread(target=checkpoint, args=(first,), daemon=True).start()
checkpoint(7)
