"""A daemon of image builds whose metadata database is a bolt file: each change of a snapshot commits, and a commit writes the whole list of free pages, as
many MB as given, syncs it, and then a page of its own. Arguments: the database, the MB, commits a second."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("buildkitd")
size, rate = int(sys.argv[2]) << 20, float(sys.argv[3])
file = os.open(sys.argv[1], os.O_RDWR)
pages, place, due = b"f" * size, 0, time.time()
while True:
    os.pwrite(file, pages, (1 + place) << 23)
    os.fdatasync(file)
    os.pwrite(file, pages[:4096], place << 12)
    os.fdatasync(file)
    place, due = 1 - place, max(due + 1 / rate, time.time())
    time.sleep(max(0, due - time.time()))
