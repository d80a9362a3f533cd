"""Gives addresses to pods without end: each process reserves one by a file that is written, synced and renamed, and its folder synced, and does the same
with the file of the last address. Arguments: the folder, the processes."""
import os
import sys

folder, number = sys.argv[1], 1
os.makedirs(folder, exist_ok=True)
while number < int(sys.argv[2]) and os.fork():
    number += 1
with open("/proc/self/comm", "w") as name:
    name.write("host-local")
home, count = os.open(folder, os.O_RDONLY), 0


def put(path, text):
    file = os.open(path + ".new", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    os.write(file, text)
    os.fsync(file)
    os.close(file)
    os.rename(path + ".new", path)
    os.fsync(home)


while True:
    count += 1
    put(f"{folder}/10.{number}.{count // 250}.{count % 250}", b"cni-%d eth0\n" % count)
    put(f"{folder}/last_reserved_ip.{number}", b"%d\n" % count)
