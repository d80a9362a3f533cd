"""Cameras of a video recorder: so many processes, each of which appends KB to its file once a second, all in the same moment, and syncs it. Arguments: the
folder, the cameras, the KB."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("camrec")
os.makedirs(sys.argv[1], exist_ok=True)
number = 0
for other in range(1, int(sys.argv[2])):
    if os.fork() == 0:
        number = other
        break
file, frames = os.open(f"{sys.argv[1]}/cam{number}.ts", os.O_CREAT | os.O_WRONLY | os.O_APPEND), os.urandom(int(sys.argv[3]) << 10)
while True:
    time.sleep(1 - time.time() % 1)
    os.write(file, frames)
    os.fdatasync(file)
