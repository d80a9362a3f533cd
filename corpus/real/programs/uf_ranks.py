"""Another job on the node: so many ranks each take their part of so many MB at 40 MB/s, and then go over all of it several times a second. Prints nothing.
Arguments: ranks, MB of each."""
import os
import sys
import time

for _ in range(int(sys.argv[1]) - 1):
    if not os.fork():
        break
with open("/proc/self/comm", "w") as name:
    name.write("fds_mpi")
mesh = []
for _ in range(int(sys.argv[2])):
    mesh.append(bytearray(b"\1") * (1 << 20))
    time.sleep(1 / 40)
step = 0
while True:
    step += 1
    for part in mesh:
        part[::4096] = bytes([step % 250]) * 256
    time.sleep(0.2)
