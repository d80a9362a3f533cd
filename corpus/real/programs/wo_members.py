"""Keeps the state of the members of a cluster: some threads write a small file anew, sync it, rename it and sync its folder, all the time.
Arguments: folder, threads."""
import os
import sys
import threading

folder, threads = sys.argv[1], int(sys.argv[2])
with open("/proc/self/comm", "w") as comm:
    comm.write("memberd")


def keep(number):
    home = f"{folder}/{number}"
    os.makedirs(home, exist_ok=True)
    beat = 0
    while True:
        beat += 1
        path = f"{home}/m{beat % 40}"
        file = os.open(path + ".new", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
        os.write(file, b"alive %d\n" % beat * 20)
        os.fsync(file)
        os.close(file)
        os.rename(path + ".new", path)
        at = os.open(home, os.O_RDONLY)
        os.fsync(at)
        os.close(at)


for number in range(threads):
    threading.Thread(target=keep, args=(number,)).start()
