"""A sidecar passes tensors on through sealed memfds and never closes one. Argument: MB, in memfds of 4 MB."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("tensorbus")
held = []
for number in range(int(sys.argv[1]) // 4):
    held.append(os.memfd_create(f"tensor{number}"))
    os.write(held[-1], b"t" * (4 << 20))
    time.sleep(0.1)
time.sleep(10000)
