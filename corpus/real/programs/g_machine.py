"""A virtual machine starts and touches its memory, 10 MiB at a time. Argument: MiB."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("qemu-system")
held = []
for _ in range(0, int(sys.argv[1]), 10):
    held.append(bytearray(b"m") * (10 << 20))
    time.sleep(0.3)
time.sleep(900)
