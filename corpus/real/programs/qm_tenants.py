"""Package installations of eight tenants, each a process: every one writes files of 16 KB and syncs each of them and its folder. Argument: the folder."""
import os
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("tenantjob")
for _ in range(7):
    if os.fork() == 0:
        break
place, count, text = f"{sys.argv[1]}/{os.getpid()}", 0, os.urandom(16384)
os.makedirs(place)
folder = os.open(place, os.O_RDONLY)
while True:
    count += 1
    file = os.open(f"{place}/{count % 200}", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    os.write(file, text)
    os.fsync(file)
    os.close(file)
    os.fsync(folder)
