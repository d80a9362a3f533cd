"""A session of a file server that copies small files to it: writes 16 KB into a new file, and waits until the disk has it when it closes it,
200 names again and again. Argument: the folder."""
import os
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("smbd")
os.makedirs(sys.argv[1], exist_ok=True)
folder = os.open(sys.argv[1], os.O_RDONLY)
data, number = os.urandom(16384), 0
while True:
    number = (number + 1) % 200
    name = f"{sys.argv[1]}/{number}"
    file = os.open(name + ".new", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    os.write(file, data)
    os.fsync(file)
    os.close(file)
    os.rename(name + ".new", name)
    os.fsync(folder)
