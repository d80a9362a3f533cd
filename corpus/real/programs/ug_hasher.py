"""A sync client or checker that reads files again to compare their sums: threads read one large file from places of their own on, in pieces of 128 KB,
and hash them. Arguments: the name of the program, the file, the threads. Prints nothing."""
import hashlib
import os
import sys
import threading

with open("/proc/self/comm", "w") as comm:
    comm.write(sys.argv[1])
threads = int(sys.argv[3])


def check(number):
    with open(sys.argv[2], "rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        at = size * number // threads >> 17 << 17
        while True:
            piece = os.pread(file.fileno(), 1 << 17, at)
            hashlib.md5(piece)
            at = at + len(piece) if piece else 0


for number in range(threads):
    threading.Thread(target=check, args=(number,), daemon=True).start()
threading.Event().wait()
