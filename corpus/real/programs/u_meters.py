"""Stores what meters send, 16 blocks of 128 KB a second, over and over in eight files of 8 MB; syncs nothing."""
import os

import pace

with open("/proc/self/comm", "w") as name:
    name.write("meterd")
files = [os.open(f"/data/meter{number}", os.O_CREAT | os.O_WRONLY) for number in range(8)]
block, at = os.urandom(131072), 0


def store():
    global at
    os.pwrite(files[at % 8], block, at // 8 % 64 * 131072)
    at += 1


pace.serve(store, interval=1 / 16)
