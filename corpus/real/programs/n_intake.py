"""Takes six documents of 20 KB a second: a file each, synced; the one of 200 documents ago is removed."""
import os

import pace

os.makedirs("/data/intake", exist_ok=True)
number = 0


def take():
    global number
    file = os.open(f"/data/intake/{number}", os.O_CREAT | os.O_WRONLY)
    os.write(file, b"d" * 20000)
    os.fsync(file)
    os.close(file)
    if number >= 200:
        os.unlink(f"/data/intake/{number - 200}")
    number += 1


pace.serve(take, interval=1 / 6)
