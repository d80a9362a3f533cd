"""A network video recorder appends pieces of its cameras' streams to segments. Arguments: the folder, KB of a piece, pieces per second."""
import os
import sys

import pace

folder, piece, rate = sys.argv[1], os.urandom(1024) * int(sys.argv[2]), float(sys.argv[3])
os.makedirs(folder, exist_ok=True)
number, left, file = 0, 0, None


def write():
    global number, left, file
    if left < len(piece):
        if file is not None:
            os.close(file)
        number, left = number + 1, 32 << 20
        file = os.open(f"{folder}/{number}.mp4", os.O_CREAT | os.O_WRONLY)
        if number > 4:
            os.unlink(f"{folder}/{number - 4}.mp4")
    os.write(file, piece)
    left -= len(piece)


pace.serve(write, interval=1 / rate)
