"""A rank of a simulation: takes its part of the grid at 40 MB a second, and goes over it from then on. Prints nothing. Argument: MB of the grid."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("xhpl")
grid = []
for _ in range(int(sys.argv[1])):
    grid.append(bytearray(b"\1") * (1 << 20))
    time.sleep(0.02)
step = 0
while True:
    step += 1
    for part in grid:
        part[::4096] = bytes([step % 250 + 1]) * 256
        time.sleep(0.02)
