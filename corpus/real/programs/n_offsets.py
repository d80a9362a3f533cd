"""Saves the offsets of a consumer four times a second: a new file, synced, renamed over the old one, and the folder synced."""
import os

import pace

os.makedirs("/data/offsets", exist_ok=True)
folder = os.open("/data/offsets", os.O_RDONLY)


def save():
    file = os.open("/data/offsets/new", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    os.write(file, b"topic 7 118200\n" * 40)
    os.fsync(file)
    os.close(file)
    os.rename("/data/offsets/new", "/data/offsets/current")
    os.fsync(folder)


pace.serve(save, interval=0.25)
