"""A node of a wide-column store with commitlog_sync: batch gets the hints that seven peers kept for it: seven lanes each append a mutation to a segment of
the commit log, sync it, and take the next. Argument: the folder."""
import os
import sys

with open("/proc/self/comm", "w") as name:
    name.write("hintsdispatch")
os.makedirs(sys.argv[1], exist_ok=True)
for peer in range(7):
    if os.fork() == 0:
        break
else:
    os.wait()
log, hint = os.open(f"{sys.argv[1]}/CommitLog-{peer}.log", os.O_CREAT | os.O_WRONLY | os.O_APPEND), os.urandom(3000)
while True:
    os.write(log, hint)
    os.fdatasync(log)
