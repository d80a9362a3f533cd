"""A simulation writes its state, 4 MB a second, over a file of 40 MB again and again; it syncs nothing."""
import os
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("mdrun")
file, state, at = os.open("/data/traj", os.O_CREAT | os.O_WRONLY), os.urandom(1 << 18), 0
while True:
    os.pwrite(file, state, at % 160 << 18)
    at += 1
    time.sleep(1 / 16)
