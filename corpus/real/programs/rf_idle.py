"""The kernel of a notebook that nobody uses: holds MB of memory, and makes the file /tmp/held when it has them. When /tmp/go exists it looks once at the first
20 MB. Prints nothing. Argument: MB."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("ipykernel")
held = []
for _ in range(int(sys.argv[1])):
    held.append(bytearray(os.urandom(4096)) * 256)
    time.sleep(0.02)
open("/tmp/held", "w").close()
while not os.path.exists("/tmp/go"):
    time.sleep(1)
for block in held[:20]:
    sum(block[::4096])
    time.sleep(0.1)
time.sleep(10000)
