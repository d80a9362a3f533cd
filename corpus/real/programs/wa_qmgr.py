"""Delivers deferred mail: each of some threads updates the file of a message again and again, and syncs it. Arguments: folder, threads, seconds of pause."""
import os
import sys
import threading
import time

with open("/proc/self/comm", "w") as name:
    name.write("qmgr")
folder, count, pause = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
os.makedirs(folder, exist_ok=True)


def deliver(thread):
    number = 0
    while True:
        number += 1
        file = os.open(f"{folder}/{thread}-{number % 20}", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        os.write(file, b"status=sent\n" * 180)
        os.fsync(file)
        os.close(file)
        time.sleep(pause)


for thread in range(count):
    threading.Thread(target=deliver, args=(thread,)).start()
