"""A container engine unpacks the layers of an image, 40 MB each at 15 MB a second, and syncs the file system (syncfs) after each. Arguments: folder, layers."""
import ctypes
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("containerd")
libc = ctypes.CDLL(None)
os.makedirs(sys.argv[1], exist_ok=True)
block, due = os.urandom(1 << 20), time.time()
for layer in range(int(sys.argv[2])):
    file = os.open(f"{sys.argv[1]}/layer{layer}", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    for _ in range(40):
        os.write(file, block)
        due = max(due + 1 / 15, time.time() - 0.2)
        time.sleep(max(0, due - time.time()))
    libc.syncfs(file)
    os.close(file)
