"""A queue of mails: ten messages a second are written to a new file, renamed when complete, and removed when delivered. None is synced."""
import os

import pace

with open("/proc/self/comm", "w") as name:
    name.write("queued")
os.makedirs("/data/spool", exist_ok=True)
count = 0


def message():
    global count
    count += 1
    path = f"/data/spool/{count}"
    with open(path + ".tmp", "wb") as file:
        file.write(b"m" * 2000)
    os.rename(path + ".tmp", path)
    if count > 20:
        os.remove(f"/data/spool/{count - 20}")


pace.serve(message, interval=0.1)
