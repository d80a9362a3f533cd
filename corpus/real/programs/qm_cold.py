"""Sessions that nobody asks for any more: holds MB of memory, of which each page is half text and half noise; prints `ready`
then. Argument: the MB."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("sessiond")
held = []
for _ in range(int(sys.argv[1])):
    held.append(bytearray(b"".join(os.urandom(2048) + b"session " * 256 for _ in range(256))))
print("ready", flush=True)
time.sleep(10000)
