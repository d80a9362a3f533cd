"""Compiles the assets of a deploy: a heap that grows to MiB at MiB/s, all of which it walks again and again. Arguments: MiB, MiB/s."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("node")
size, rate = int(sys.argv[1]), float(sys.argv[2])
held = []
while len(held) < size:
    held.append(bytearray(b"j") * 1048576)
    time.sleep(1 / rate)
while True:
    for block in held:
        block[::4096] = b"s" * 256
    time.sleep(0.1)
