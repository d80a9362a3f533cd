"""Stores 20 packets of seismometers a second, 100 KB each, in a ring of 60 MB, and syncs nothing."""
import os

import g_steady

file, packet, at = os.open("/data/seismic", os.O_CREAT | os.O_WRONLY), os.urandom(102400), 0
for number in range(600):
    os.pwrite(file, packet, number * 102400)
os.fsync(file)


def store():
    global at
    os.pwrite(file, packet, at % 600 * 102400)
    at += 1


g_steady.serve(store, 20)
