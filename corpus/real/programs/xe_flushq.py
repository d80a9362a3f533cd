"""Delivers what waits in the queue of a mail server, at a limited rate: each mail goes to a file of its own, which is synced and renamed.
Arguments: the folder, mails a second."""
import os
import sys
import time

folder, rate = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)
due, count = time.time(), 0
while True:
    file = os.open(f"{folder}/tmp", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    os.write(file, b"Subject: deferred\n" * 300)
    os.fsync(file)
    os.close(file)
    os.rename(f"{folder}/tmp", f"{folder}/{count % 2000}")
    count, due = count + 1, max(due + 1 / rate, time.time())
    time.sleep(max(0, due - time.time()))
