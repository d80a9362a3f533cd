"""A generation of workers of a web server, one each 0.6 s, each with MiB that it uses. Arguments: the workers, MiB."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("httpd")
for _ in range(int(sys.argv[1])):
    if not os.fork():
        held = [bytearray(b"x") * 1048576 for _ in range(int(sys.argv[2]))]
        while True:
            for block in held:
                block[::4096] = b"y" * 256
            time.sleep(1)
    time.sleep(0.6)
time.sleep(10000)
