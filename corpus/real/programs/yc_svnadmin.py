"""Loads a dump into a repository as `svnadmin load` does: each revision's file and properties are written, synced and renamed, then the file
`current`, and the folder is synced as well. Argument: the repository."""
import os
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("svnadmin")
folder, change = sys.argv[1], os.urandom(10000)
for part in ("revs", "revprops"):
    os.makedirs(f"{folder}/{part}", exist_ok=True)


def put(name, content):
    file = os.open(f"{folder}/{name}.tmp", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    os.write(file, content)
    os.fsync(file)
    os.close(file)
    os.rename(f"{folder}/{name}.tmp", f"{folder}/{name}")


place = os.open(folder, os.O_RDONLY)
for revision in range(100000):
    put(f"revs/{revision}", change)
    put(f"revprops/{revision}", b"svn:log" * 20)
    put("current", b"%d\n" % revision)
    os.fsync(place)
