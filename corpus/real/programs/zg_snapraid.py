"""A parity sync of a home server: threads read a file in blocks of 256 KB around the page cache, in order from places of their own, and sum each up.
Arguments: the file, the threads."""
import mmap
import os
import sys
import threading
import zlib

with open("/proc/self/comm", "w") as name:
    name.write("snapraid")
file = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
blocks, threads = os.fstat(file).st_size >> 18, int(sys.argv[2])


def sync(at):
    room = mmap.mmap(-1, 1 << 18)
    while True:
        os.preadv(file, [room], at << 18)
        zlib.crc32(room)
        at = (at + 1) % blocks


for number in range(threads):
    threading.Thread(target=sync, args=(number * blocks // threads,), daemon=True).start()
threading.Event().wait()
