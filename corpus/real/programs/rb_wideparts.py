"""Clients of a column store that insert a few rows each: an insert writes a part of 16 small column files, syncs one after the other, renames the part
and syncs the directory. Arguments: the directory, the clients. Prints nothing."""
import os
import shutil
import sys
import time

top, clients, number = sys.argv[1], int(sys.argv[2]), 0
while number < clients - 1 and os.fork():
    number += 1
with open("/proc/self/comm", "w") as comm:
    comm.write("clickhouse-serv")
home = f"{top}/table{os.getpid()}"
os.makedirs(home)
parts = 0
while True:
    part = f"{home}/part{parts}"
    os.mkdir(part + ".tmp")
    for column in range(16):
        file = os.open(f"{part}.tmp/column{column}.bin", os.O_CREAT | os.O_WRONLY)
        os.write(file, os.urandom(2000))
        os.fdatasync(file)
        os.close(file)
    os.rename(part + ".tmp", part)
    folder = os.open(home, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)
    parts += 1
    if parts > 10:
        shutil.rmtree(f"{home}/part{parts - 11}")
    time.sleep(0.05)
