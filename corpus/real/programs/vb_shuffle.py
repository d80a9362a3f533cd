"""Two tasks of a shuffle, each writes blocks of 256 KB to the files of 40 partitions, and begins the next stage after 500 MB. Argument: the folder."""
import os
import shutil
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("executor")
block = os.urandom(1 << 18)
task, stage = 1 if os.fork() else 2, 0
while True:
    folder = f"{sys.argv[1]}/{task}_{stage}"
    os.makedirs(folder)
    files = [os.open(f"{folder}/shuffle_{part}.data", os.O_CREAT | os.O_WRONLY) for part in range(40)]
    for number in range(2000):
        os.write(files[number % 40], block)
    for file in files:
        os.close(file)
    shutil.rmtree(f"{sys.argv[1]}/{task}_{stage - 1}", ignore_errors=True)
    stage += 1
