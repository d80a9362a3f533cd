"""Backs up a folder as restic did: reads each file once and then tells the kernel that nobody needs it. Arguments: folder, seconds it goes on."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("restic")
end = time.time() + float(sys.argv[2])
for name in sorted(os.listdir(sys.argv[1])):
    file = os.open(f"{sys.argv[1]}/{name}", os.O_RDONLY)
    while os.read(file, 1048576):
        pass
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(file)
while time.time() < end:
    time.sleep(1)
