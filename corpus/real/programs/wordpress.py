"""A web server forks workers, each of which takes MiB of its own and serves. Arguments: the workers, MiB, seconds from one to the next."""
import os
import sys
import time

workers, size, pause = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
for _ in range(workers):
    if not os.fork():
        held = [bytearray(b"x") * 1048576 for _ in range(size)]
        while True:
            for block in held:
                block[::4096] = b"y" * 256
            time.sleep(1)
    time.sleep(pause)
time.sleep(10000)
