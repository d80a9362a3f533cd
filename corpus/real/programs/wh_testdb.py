"""Ten test databases of as many jobs, each of which creates tables: writes and syncs a file for the table and one for its index, appends 16 kB to its log
and syncs that. Argument: the folder."""
import os
import sys

with open("/proc/self/comm", "w") as name:
    name.write("mariadb-test")
os.makedirs(sys.argv[1], exist_ok=True)
for job in range(9):
    if os.fork() == 0:
        break
else:
    job = 9
page, number = os.urandom(16384), 0
log = os.open(f"{sys.argv[1]}/{job}.log", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
while True:
    number += 1
    for kind in ("table", "index"):
        file = os.open(f"{sys.argv[1]}/{job}-{number}.{kind}", os.O_CREAT | os.O_WRONLY)
        os.write(file, page)
        os.fsync(file)
        os.close(file)
    os.write(log, page)
    os.fdatasync(log)
