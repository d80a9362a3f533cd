"""An application that is a web page: fills its heap with MiB, 12 MiB a second, and then its timers and its garbage collector go over all of it each
second. Argument: the MiB."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("electron")
heap = []
while len(heap) < int(sys.argv[1]):
    heap.append(bytearray(b"e") * (1 << 20))
    time.sleep(1 / 12)
while True:
    for block in heap:
        block[::4096] = b"g" * 256
    time.sleep(1)
