"""Unpacks packages as dpkg does: each file is written as .dpkg-new, synced and renamed, and after 20 files the status is written and synced.
Argument: the folder."""
import os
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("dpkg")
folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)


def put(name, size):
    file = os.open(name + ".dpkg-new", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    os.write(file, os.urandom(size))
    os.fsync(file)
    os.close(file)
    os.rename(name + ".dpkg-new", name)


for number in range(100000):
    put(f"{folder}/lib{number % 2000}.so", 3000 + number * 977 % 40000)
    if number % 20 == 0:
        put(f"{folder}/status", 300000)
