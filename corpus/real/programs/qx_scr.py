"""Checkpoints in two steps: writes one to /dev/shm every 15 seconds, and a drainer copies it slowly to a folder and removes it. Prints nothing.
Arguments: the folder, MB of a checkpoint, MB a second of the drainer."""
import os
import sys
import threading
import time

folder, size, rate = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
os.makedirs(folder, exist_ok=True)
block = os.urandom(1 << 20)


def drain(path):
    with open(path, "rb", 0) as source, open(f"{folder}/checkpoint", "wb", 0) as target:
        while part := source.read(1 << 20):
            target.write(part)
            time.sleep(1 / rate)
    os.remove(path)


step = 0
while True:
    path = f"/dev/shm/checkpoint{step}"
    with open(path, "wb", 0) as file:
        for _ in range(size):
            file.write(block)
            time.sleep(0.01)
    threading.Thread(target=drain, args=(path,), daemon=True).start()
    step += 1
    time.sleep(15)
