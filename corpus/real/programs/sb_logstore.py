"""A store of logs writes segments of 8 MB at 8 MB/s, syncs each, and then tells the kernel that it will not need its pages; it keeps 40 segments.
Argument: the folder. Prints nothing."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("logstore")
block = os.urandom(65536) * 16
number, due = 0, time.time()
while True:
    segment = os.open(f"{sys.argv[1]}/segment{number % 40}", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    for _ in range(8):
        os.write(segment, block)
        due = max(due + 1 / 8, time.time() - 1)
        time.sleep(max(0, due - time.time()))
    os.fdatasync(segment)
    os.posix_fadvise(segment, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(segment)
    number += 1
