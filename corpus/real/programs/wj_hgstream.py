"""A Mercurial server sends streaming clones: for each client it reads the files of the store in pieces, first for a checksum and then to send them.
Arguments: the files."""
import os
import sys
import threading

with open("/proc/self/comm", "w") as name:
    name.write("hgserve")


def clone(files):
    while True:
        for name in files:
            file, at = os.open(name, os.O_RDONLY), 0
            while os.pread(file, 1 << 20, at):
                os.pread(file, 1 << 20, at)
                at += 1 << 20
            os.close(file)


for client in range(2):
    threading.Thread(target=clone, args=(sys.argv[1 + client :: 2],)).start()
