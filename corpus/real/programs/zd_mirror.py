"""A mirror of packages writes wheels of 60 KB into a folder, syncs each and renames it, by four threads; it goes round in 800 names. Argument: the folder."""
import os
import sys
import threading

with open("/proc/self/comm", "w") as comm:
    comm.write("bandersnatch")
os.makedirs(sys.argv[1], exist_ok=True)
wheel = os.urandom(60000)


def fetch(first):
    count = 0
    while True:
        name = f"{sys.argv[1]}/{first + count % 200 * 4}.whl"
        with open(name + ".new", "wb", 0) as file:
            file.write(wheel)
            os.fsync(file.fileno())
        os.rename(name + ".new", name)
        count += 1


for thread in range(4):
    threading.Thread(target=fetch, args=(thread,)).start()
