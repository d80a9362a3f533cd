"""A daemon that downloads large files in parallel and keeps them on a disk: each thread writes files of so many MB, buffered, and removes the one before. Arguments:
the folder, the threads, the MB. Prints nothing."""
import os
import sys
import threading

with open("/proc/self/comm", "w") as name:
    name.write("assetd")
os.makedirs(sys.argv[1], exist_ok=True)
piece = os.urandom(1 << 18)


def fetch(thread):
    number = 0
    while True:
        with open(f"{sys.argv[1]}/asset{thread}-{number}", "wb", 0) as asset:
            for _ in range(int(sys.argv[3]) * 4):
                asset.write(piece)
        if number:
            os.unlink(f"{sys.argv[1]}/asset{thread}-{number - 1}")
        number += 1


for thread in range(int(sys.argv[2])):
    threading.Thread(target=fetch, args=(thread,)).start()
