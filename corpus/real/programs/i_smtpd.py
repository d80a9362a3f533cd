"""A mail server takes five messages a second: each is a file that is synced and renamed, and the folder is synced, before it answers."""
import os

import pace

os.makedirs("/data/mqueue", exist_ok=True)
folder, number = os.open("/data/mqueue", os.O_RDONLY), 0


def message():
    global number
    name = f"/data/mqueue/{number}"
    file = os.open(name + ".tmp", os.O_CREAT | os.O_WRONLY)
    os.write(file, b"m" * 5000)
    os.fsync(file)
    os.close(file)
    os.rename(name + ".tmp", name)
    os.fsync(folder)
    number += 1


pace.serve(message, interval=0.2)
