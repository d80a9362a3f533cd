"""Logs 25 entries of 4 KB a second, each synced, in four segments of 256 KB that are written over in turn. From when /tmp/go exists each segment
is a new file, and the old one is removed. Argument: the folder."""
import os
import sys

import g_steady

os.makedirs(sys.argv[1], exist_ok=True)
for number in range(4):
    with open(f"{sys.argv[1]}/segment{number}", "wb") as new:
        new.write(bytes(262144))
        new.flush()
        os.fsync(new.fileno())
count, file, entry = 0, None, os.urandom(4096)


def append():
    global count, file
    if count % 64 == 0:
        path = f"{sys.argv[1]}/segment{count // 64 % 4}"
        if file is not None:
            os.close(file)
        if os.path.exists("/tmp/go"):
            os.unlink(path)
        file = os.open(path, os.O_CREAT | os.O_WRONLY)
    os.pwrite(file, entry, count % 64 * 4096)
    os.fdatasync(file)
    count += 1


g_steady.serve(append, 25)
