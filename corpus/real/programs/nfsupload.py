"""Takes five uploads of 20 KB a second: writes each to a file of its own, syncs it and gives it its name. Argument: the folder."""
import os
import sys

import pace

count = 0


def upload():
    global count
    count = (count + 1) % 200
    part = f"{sys.argv[1]}/part"
    file = os.open(part, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    os.write(file, b"u" * 20000)
    os.fsync(file)
    os.close(file)
    os.rename(part, f"{sys.argv[1]}/item{count}")


pace.serve(upload, interval=0.2)
