"""A chat server keeps a file for each user: it writes a new one, syncs it, renames it over the old one and syncs the folder. Threads do so for all users
who connect again. Arguments: the folder, the threads."""
import os
import random
import sys
import threading

with open("/proc/self/comm", "w") as name:
    name.write("prosody")
folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
place = os.open(folder, os.O_RDONLY)


def connect(number):
    while True:
        user = f"{folder}/{random.randrange(5000)}.dat"
        with open(f"{user}.{number}~", "wb") as file:
            file.write(b"last activity" * 60)
            file.flush()
            os.fsync(file.fileno())
        os.rename(f"{user}.{number}~", user)
        os.fsync(place)


for number in range(1, int(sys.argv[2])):
    threading.Thread(target=connect, args=(number,), daemon=True).start()
connect(0)
