"""Inserts of one row each into a column store that syncs every part: a folder, six column files, each synced, and the folders. Arguments: the table's
folder, clients."""
import os
import sys
import threading

table, clients = sys.argv[1], int(sys.argv[2])
with open("/proc/self/comm", "w") as comm:
    comm.write("chserver")


def synced(path, flags, data=b""):
    file = os.open(path, flags, 0o644)
    if data:
        os.write(file, data)
    os.fsync(file)
    os.close(file)


def insert(client):
    number = 0
    while True:
        part = f"{table}/all_{client}_{number}_0"
        os.makedirs(f"{part}.tmp")
        for column in ("id", "time", "value", "marks", "columns", "checksums"):
            synced(f"{part}.tmp/{column}.bin", os.O_CREAT | os.O_WRONLY, b"c" * 700)
        synced(f"{part}.tmp", os.O_RDONLY | os.O_DIRECTORY)
        os.rename(f"{part}.tmp", part)
        synced(table, os.O_RDONLY | os.O_DIRECTORY)
        number += 1


os.makedirs(table, exist_ok=True)
workers = [threading.Thread(target=insert, args=(client,)) for client in range(clients)]
for worker in workers:
    worker.start()
