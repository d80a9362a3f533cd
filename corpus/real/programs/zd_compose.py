"""One of the services that a developer starts for tests: takes so many MB, 10 MB a second, and its collector goes over all of it. Arguments: name, MB."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write(sys.argv[1])
heap = []
while True:
    if len(heap) < int(sys.argv[2]):
        heap.append(bytearray(b"h") * (1 << 20))
    for part in heap if len(heap) == int(sys.argv[2]) else heap[-4:]:
        part[::4096] = b"g" * 256
    time.sleep(0.1)
