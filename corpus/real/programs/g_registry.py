"""A registry of settings: four times a second a new version of one is written to a file, synced, and renamed over the old one; the folder is
synced too. Argument: the folder."""
import os
import random
import sys

import g_steady

os.makedirs(sys.argv[1], exist_ok=True)
folder = os.open(sys.argv[1], os.O_RDONLY)


def put():
    name = f"{sys.argv[1]}/setting{random.randrange(50)}"
    file = os.open(name + ".new", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    os.write(file, b"v" * 700)
    os.fsync(file)
    os.close(file)
    os.rename(name + ".new", name)
    os.fsync(folder)


g_steady.serve(put, 4)
