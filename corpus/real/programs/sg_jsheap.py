"""A long-lived program of JavaScript with a heap of MiB, of which it uses little; its concurrent collector marks the whole heap every few seconds.
Arguments: the MiB, seconds between collections."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("node")
heap = [bytearray(b"o") * 1048576 for _ in range(int(sys.argv[1]))]
mark = 0
while True:
    time.sleep(float(sys.argv[2]))
    mark = 1 - mark
    for block in heap:
        block[::4096] = b"mu"[mark : mark + 1] * 256
