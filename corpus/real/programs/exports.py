"""Writes an export of 12 MB every 3 seconds into one of three files, and syncs nothing; the disk has the time until the next."""
import os

import pace

files = [os.open(f"/data/export{n}", os.O_CREAT | os.O_WRONLY) for n in range(3)]
rows, number = os.urandom(262144), 0
for file in files:
    for at in range(48):
        os.pwrite(file, rows, at * 262144)
    os.fsync(file)


def export():
    global number
    number += 1
    for at in range(48):
        os.pwrite(files[number % 3], rows, at * 262144)


pace.serve(export, interval=3)
