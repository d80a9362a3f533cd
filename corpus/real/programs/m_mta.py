"""A mail server that takes six messages a second: writes each into a file of its own and syncs it before it answers; the file is used again later."""
import os

import pace

os.makedirs("/data/incoming", exist_ok=True)
number = 0


def message():
    global number
    file = os.open(f"/data/incoming/{number % 300}", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    os.write(file, b"From: a@example.org\n" * 300)
    os.fsync(file)
    os.close(file)
    number += 1


pace.serve(message, interval=1 / 6)
