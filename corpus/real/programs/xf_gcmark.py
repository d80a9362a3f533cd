"""The mark phase of a garbage collection of artifacts: keeps the digests of all that is reachable, 12 MB more each second, up to MB. Argument: the
MB."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("gcmark")
marked = []
while True:
    if len(marked) < int(sys.argv[1]):
        marked.append(bytearray(b"d") * (1 << 20))
    time.sleep(1 / 12)
