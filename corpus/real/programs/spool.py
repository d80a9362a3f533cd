"""A mail spool: eight messages a second, each a new file of 3 KB that is synced, renamed, and delivered (removed) ten messages later. Another
thread prints in each second how many there were, and 0 when all wait."""
import os
import threading
import time

done, took = 0, 0.0
os.makedirs("/data/spool", exist_ok=True)


def report():
    global done, took
    while True:
        time.sleep(1)
        count, spent, done, took = done, took, 0, 0.0
        print(int(time.time()), count, *([round(spent / count * 1000, 1)] if count else []), flush=True)


threading.Thread(target=report, daemon=True).start()
number = 0
while True:
    began = time.time()
    name = f"/data/spool/{number}"
    file = os.open(name + ".tmp", os.O_CREAT | os.O_WRONLY)
    os.write(file, b"m" * 3000)
    os.fsync(file)
    os.close(file)
    os.rename(name + ".tmp", name)
    if number >= 10:
        os.unlink(f"/data/spool/{number - 10}")
    number += 1
    done, took = done + 1, took + time.time() - began
    time.sleep(max(0, began + 0.125 - time.time()))
