"""A check of the types of a whole repository: its heap grows by 20 MB a second up to so many MB, and it walks through it again and again. Argument: the MB. Prints
nothing."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("tsc")
MIB, heap = 1 << 20, []
for _ in range(int(sys.argv[1])):
    heap.append(bytearray(b"t") * MIB)
    time.sleep(0.05)
while True:
    for block in heap:
        block[::4096] = b"u" * 256
    time.sleep(0.5)
