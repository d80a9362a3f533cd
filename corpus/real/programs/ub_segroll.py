"""The log segments of many partitions roll at the same time, because a broker was restarted and all began together: for each it writes an
offset index, a time index and a snapshot of the producers, and syncs all three. Arguments: the folder; threads."""
import os
import sys
import threading

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)


def roll(thread):
    offset = 0
    while True:
        for kind, size in ("index", 4096), ("timeindex", 4096), ("snapshot", 1500):
            path = f"{folder}/{thread}-{offset}.{kind}"
            file = os.open(path, os.O_CREAT | os.O_WRONLY)
            os.write(file, b"\7" * size)
            os.fsync(file)
            os.close(file)
            if offset > 20:
                os.unlink(f"{folder}/{thread}-{offset - 20}.{kind}")
        offset += 1


for thread in range(int(sys.argv[2])):
    threading.Thread(target=roll, args=(thread,)).start()
