"""Settlement of a broker: holds MiB of positions and uses none of them, until /tmp/go exists; then it goes once over the first 20 MiB, one a second. Argument: the
MiB."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("settlement")
positions = [bytearray(os.urandom(4096)) * 256 for _ in range(int(sys.argv[1]))]
while not os.path.exists("/tmp/go"):
    time.sleep(0.5)
for part in positions[:20]:
    sum(part[::4096])
    time.sleep(1)
time.sleep(10000)
