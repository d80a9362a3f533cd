"""The kernel of a notebook: loads a frame of MB at MB/s, then each cell changes one column of it (a part of each page). Arguments: MB, MB/s,
seconds between two cells, or `idle`."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("ipykernel")
frame = []
for _ in range(int(sys.argv[1])):
    frame.append(bytearray(b"f") * (1 << 20))
    time.sleep(1 / float(sys.argv[2]))
while sys.argv[3] == "idle":
    time.sleep(1000)
while True:
    for block in frame:
        block[::4096] = b"c" * 256
    time.sleep(float(sys.argv[3]))
