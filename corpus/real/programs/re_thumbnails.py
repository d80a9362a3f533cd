"""A plugin of a web site that makes the thumbnails of all its pictures anew: it decodes pictures of 10 MiB and keeps them until it has written a batch.
Argument: the pictures of a batch."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("php-thumbnails")
while True:
    batch = []
    for _ in range(int(sys.argv[1])):
        batch.append(bytearray(b"p") * 10485760)
        time.sleep(0.3)
    for _ in range(40):
        for picture in batch:
            picture[::4096] = b"q" * 2560
        time.sleep(0.3)
