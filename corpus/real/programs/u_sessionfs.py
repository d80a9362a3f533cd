"""Threads that each save sessions, a small file each time, and sync every one. Arguments: folder, threads, seconds between two of a thread."""
import os
import sys
import threading
import time

with open("/proc/self/comm", "w") as name:
    name.write("sessiond")
folder, count, pause = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
os.makedirs(folder, exist_ok=True)


def save(number):
    at = 0
    while True:
        at += 1
        file = os.open(f"{folder}/sess_{number}_{at % 50}", os.O_CREAT | os.O_WRONLY)
        os.write(file, b"user|s:5:\"alice\";" * 60)
        os.fsync(file)
        os.close(file)
        time.sleep(pause)


for number in range(count):
    threading.Thread(target=save, args=(number,)).start()
