"""Computes md5 of all files of a folder, six at a time, as debsums -a run by xargs -P 6. Arguments: the folder, and optionally a folder of folders
whose files are copied there first; then it only copies and forgets their pages."""
import hashlib
import os
import sys
import threading

folder = sys.argv[1]


def copy(source):
    os.makedirs(folder, exist_ok=True)
    names = [(part, name) for part in os.listdir(source) if part.isdigit() for name in os.listdir(f"{source}/{part}")]
    for part, name in names:
        with open(f"{source}/{part}/{name}", "rb") as old, open(f"{folder}/{part}-{name}", "wb") as new:
            new.write(old.read())
            os.posix_fadvise(old.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    os.sync()
    for part, name in names:
        with open(f"{folder}/{part}-{name}", "rb") as new:
            os.posix_fadvise(new.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def check(names):
    while names:
        with open(f"{folder}/{names.pop()}", "rb") as file:
            hashlib.md5(file.read()).digest()


if len(sys.argv) > 2:
    copy(sys.argv[2])
else:
    with open("/proc/self/comm", "w") as comm:
        comm.write("debsums")
    left = sorted(os.listdir(folder))
    checks = [threading.Thread(target=check, args=(left,)) for _ in range(6)]
    for one in checks:
        one.start()
    for one in checks:
        one.join()
