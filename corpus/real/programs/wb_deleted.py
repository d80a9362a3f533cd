"""A renderer makes a file of frames in /dev/shm, deletes its name and keeps it open. Argument: MB."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("compositor")
file = os.open("/dev/shm/frames", os.O_RDWR | os.O_CREAT)
os.unlink("/dev/shm/frames")
for _ in range(int(sys.argv[1])):
    os.write(file, b"f" * 1048576)
    time.sleep(0.05)
time.sleep(10000)
