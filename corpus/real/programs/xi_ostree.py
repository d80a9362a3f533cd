"""Pulls an update of a system: threads write objects of 12 KB, and for each sync the file, rename it and sync its folder. Arguments: the folder,
the threads."""
import os
import sys
import threading

with open("/proc/self/comm", "w") as comm:
    comm.write("ostree")
folder, content = sys.argv[1], os.urandom(12288)


def pull(own):
    path = f"{folder}/{own:02x}"
    os.makedirs(path, exist_ok=True)
    place, number = os.open(path, os.O_RDONLY), 0
    while True:
        file = os.open(f"{path}/tmp", os.O_CREAT | os.O_WRONLY, 0o644)
        os.write(file, content)
        os.fsync(file)
        os.close(file)
        os.rename(f"{path}/tmp", f"{path}/{number}.filez")
        os.fsync(place)
        number += 1


for own in range(int(sys.argv[2])):
    threading.Thread(target=pull, args=(own,)).start()
