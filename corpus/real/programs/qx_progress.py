"""A job's progress as its owner sees it: prints once a second the clock and by how much a counter of a file rose, also when it did not. Argument:
the file, in which the job keeps eight bytes."""
import os
import sys
import time

while not os.path.exists(sys.argv[1]) or os.path.getsize(sys.argv[1]) < 8:
    time.sleep(0.1)
file = os.open(sys.argv[1], os.O_RDONLY)


def counted():
    return int.from_bytes(os.pread(file, 8, 0), "little")


last = counted()
while True:
    time.sleep(1 - time.time() % 1)
    now = counted()
    print(int(time.time() - 0.5), now - last, flush=True)
    last = now
