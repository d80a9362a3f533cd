"""A compactor of an index rewrites tables of 64 KB in place and syncs each. Arguments: the folder; threads."""
import os
import random
import sys
import threading

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
table = os.urandom(1024) * 64


def compact(thread):
    file = os.open(f"{folder}/index{thread}", os.O_CREAT | os.O_WRONLY)
    while True:
        os.pwrite(file, table, random.randrange(128) * 65536)
        os.fsync(file)


for thread in range(int(sys.argv[2])):
    threading.Thread(target=compact, args=(thread,)).start()
