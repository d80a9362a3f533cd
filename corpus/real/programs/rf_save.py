"""A trainer saves its state to a directory, buffered and without a sync, removes the save before the last, trains for some seconds, and so on. Prints
nothing. Arguments: the directory, MB of a save, seconds between two saves, MB/s at which it can make the bytes (0: as fast as they go)."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("finetune")
folder, size, pause, rate = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
os.makedirs(folder, exist_ok=True)
tensor, step = os.urandom(1 << 20), 0
while True:
    with open(f"{folder}/checkpoint-{step}.pt", "wb", buffering=0) as save:
        for _ in range(size):
            save.write(tensor)
            if rate:
                time.sleep(1 / rate)
    if step > 1:
        os.remove(f"{folder}/checkpoint-{step - 2}.pt")
    step += 1
    time.sleep(pause)
