"""A store of sorted tables: writes four tables, then merges them into one, again and again; what is written is sent to the disk
after each MB, without waiting. Arguments: the folder, the MB a second at most."""
import ctypes
import os
import sys
import time

folder, pause = sys.argv[1], 1 / float(sys.argv[2])
libc = ctypes.CDLL(None)
os.makedirs(folder, exist_ok=True)
piece = os.urandom(1 << 20)


def table(name, pieces):
    file, at = os.open(f"{folder}/{name}", os.O_CREAT | os.O_TRUNC | os.O_WRONLY), 0
    for one in pieces:
        os.write(file, one)
        libc.sync_file_range(file, ctypes.c_int64(at), ctypes.c_int64(len(one)), 2)
        at += len(one)
        time.sleep(pause)
    os.close(file)


def merged(names):
    files = [open(f"{folder}/{name}", "rb", 0) for name in names]
    while parts := [one for file in files if (one := file.read(1 << 20))]:
        yield from parts
    for name in names:
        os.unlink(f"{folder}/{name}")


number = 0
while True:
    names = []
    for _ in range(4):
        number += 1
        names.append(f"{number}.sst")
        table(names[-1], [piece] * 12)
    number += 1
    table(f"{number}.sst", merged(names))
    if number > 15:
        os.unlink(f"{folder}/{number - 15}.sst")
