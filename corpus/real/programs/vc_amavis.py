"""A scanner of mail forks children that each unpack attachments into memory and go over them again and again. Arguments: children, MiB of each."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("amavisd")
for _ in range(int(sys.argv[1])):
    if os.fork() == 0:
        held = []
        while len(held) < int(sys.argv[2]):
            held.append(bytearray(b"a") * 1048576)
            time.sleep(0.08)
        while True:
            for block in held:
                block[::4096] = b"z" * 256
            time.sleep(0.1)
time.sleep(1000)
