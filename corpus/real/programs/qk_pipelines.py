"""Runs pipelines, each a process, that save their state at every step, so that it survives a crash: a file of 6 KB is written, flushed and renamed over
the last, and its folder is flushed. Arguments: folder, pipelines. Prints nothing."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("jenkins")
folder, count = sys.argv[1], int(sys.argv[2])
for number in range(count):
    if os.fork() == 0:
        break
else:
    time.sleep(10000)
build = f"{folder}/build{number}"
os.makedirs(build, exist_ok=True)
directory = os.open(build, os.O_RDONLY)
while True:
    file = os.open(build + "/program.new", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    os.write(file, b"p" * 6000)
    os.fsync(file)
    os.close(file)
    os.rename(build + "/program.new", build + "/program.dat")
    os.fsync(directory)
    time.sleep(0.01)
