"""A session that sorts in its memory: takes MiB at MiB/s, and goes over all of it again and again. Arguments: its name, MiB, MiB/s."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write(sys.argv[1])
size, rate, held = int(sys.argv[2]), float(sys.argv[3]), []
while len(held) < size:
    held.append(bytearray(b"k") * 1048576)
    time.sleep(1 / rate)
while True:
    for block in held:
        block[::4096] = b"v" * 256
    time.sleep(0.3)
