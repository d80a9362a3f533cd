"""Background merges of a column store with direct I/O: each thread reads 128 KB of its part of a file and writes them into a new part, on and on.
Arguments: the file that is read, the folder of the new parts, threads. Prints nothing."""
import mmap
import os
import sys
import threading

BLOCK, ROOM = 131072, 64 << 20
with open("/proc/self/comm", "w") as comm:
    comm.write("BgMerge")
source = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
count = int(sys.argv[3])
share = os.fstat(source).st_size // count // BLOCK


def merge(number):
    part = os.open(f"{sys.argv[2]}/merged{number}", os.O_CREAT | os.O_WRONLY | os.O_DIRECT)
    os.posix_fallocate(part, 0, ROOM)
    block, n = mmap.mmap(-1, BLOCK), 0
    while True:
        os.preadv(source, [block], (number * share + n % share) * BLOCK)
        os.pwrite(part, block, n * BLOCK % ROOM)
        n += 1


for number in range(count):
    threading.Thread(target=merge, args=(number,)).start()
