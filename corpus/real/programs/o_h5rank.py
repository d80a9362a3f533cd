"""The ranks of a simulation write their parts of a checkpoint and flush the file after each data set of 16 KB. Arguments: the folder, the
ranks."""
import os
import sys

open("/proc/self/comm", "w").write("wrf.exe")
os.makedirs(sys.argv[1], exist_ok=True)
for _ in range(int(sys.argv[2]) - 1):
    if not os.fork():
        break
file = os.open(f"{sys.argv[1]}/part{os.getpid()}", os.O_CREAT | os.O_WRONLY)
data = os.urandom(16384)
while True:
    os.write(file, data)
    os.fsync(file)
