"""A worker of a cluster runs 10 tasks a second and keeps a reference to the frame of each. Arguments: KB of a frame, MB at which its tasks end."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("dask-worker")
frame, most, unmanaged = int(sys.argv[1]), int(sys.argv[2]), []
while len(unmanaged) * frame < most << 10:
    unmanaged.append(bytearray(b"\x07" * 64) * (frame * 16))
    time.sleep(0.1)
time.sleep(10000)
