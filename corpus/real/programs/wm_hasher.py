"""Hashes a file in blocks of 128 KB by some threads, each in order from a place of its own, over and over. Arguments: the file, the threads."""
import hashlib
import os
import sys
import threading

with open("/proc/self/comm", "w") as name:
    name.write("syncthing")
file = os.open(sys.argv[1], os.O_RDONLY)
size, threads = os.fstat(file).st_size, int(sys.argv[2])


def scan(at):
    own = os.open(sys.argv[1], os.O_RDONLY)
    while True:
        hashlib.sha1(os.pread(own, 131072, at % size)).digest()
        at += 131072


for number in range(threads):
    threading.Thread(target=scan, args=(size // 131072 * number // threads * 131072,), daemon=True).start()
threading.Event().wait()
