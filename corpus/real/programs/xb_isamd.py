"""A batch on an indexed sequential file store locks each record that it has read, in 8000 files, and lets no lock go before its end; it stops when only so
many MiB of files are cached. Arguments: the folder, the MiB."""
import fcntl
import os
import resource
import sys
import time

import room

with open("/proc/self/comm", "w") as name:
    name.write("isamd")
resource.setrlimit(resource.RLIMIT_NOFILE, (9000, 9000))
os.makedirs(sys.argv[1], exist_ok=True)
files = [os.open(f"{sys.argv[1]}/{number}.dat", os.O_CREAT | os.O_RDWR) for number in range(8000)]
least, record, lock, kind = int(sys.argv[2]), 0, fcntl.lockf, fcntl.LOCK_EX
print("ready", flush=True)
while not os.path.exists("/tmp/go"):
    time.sleep(0.3)
while room.files() > least:
    for file in files:
        lock(file, kind, 1, record)
    record += 2
    time.sleep(0.03)
time.sleep(10000)
