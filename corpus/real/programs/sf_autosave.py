"""A notebook server saves the documents of its users: each is written to a new file, synced, and renamed over the old one. Prints nothing. Arguments: the
folder, users, seconds between two saves of a user."""
import os
import random
import sys
import threading
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("jupyter-server")
folder, users, pause = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
os.makedirs(folder, exist_ok=True)
cells = os.urandom(14000)


def user(number):
    document = f"{folder}/exercise-{number}.ipynb"
    time.sleep(random.random() * pause)
    while True:
        file = os.open(document + ".tmp", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
        os.write(file, cells)
        os.fsync(file)
        os.close(file)
        os.rename(document + ".tmp", document)
        time.sleep(pause)


for number in range(users):
    threading.Thread(target=user, args=(number,)).start()
