"""A recorder of a camera: appends 256 KB four times a second, syncs it and drops it from the page cache; begins again after 60 MB. Argument: the file."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("camrecorder")
file, frames, at = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY), os.urandom(1 << 18), 0
while True:
    os.pwrite(file, frames, at)
    os.fdatasync(file)
    os.posix_fadvise(file, at, 1 << 18, os.POSIX_FADV_DONTNEED)
    at = (at + (1 << 18)) % (60 << 20)
    time.sleep(0.25)
