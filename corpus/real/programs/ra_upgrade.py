"""A program of the nightly upgrade: its memory grows to MiB at MiB/s, and it keeps it while it works. Arguments: the name that people see, MiB, MiB/s."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write(sys.argv[1])
held = []
while len(held) < int(sys.argv[2]):
    held.append(bytearray(b"p") * 1048576)
    time.sleep(1 / float(sys.argv[3]))
while True:
    for block in held:
        block[::4096] = b"q" * 256
    time.sleep(1)
