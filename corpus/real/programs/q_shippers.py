"""Shippers of logs that save their registry after each event: a new file, synced, renamed over the old one, and the folder synced. Arguments: the
folder, how many shippers."""
import os
import sys

with open("/proc/self/comm", "w") as name:
    name.write("filebeat")
for number in range(int(sys.argv[2])):
    if not os.fork():
        break
else:
    os.wait()
mine = f"{sys.argv[1]}/{number}"
os.makedirs(mine, exist_ok=True)
folder, state = os.open(mine, os.O_RDONLY), os.urandom(5000)
while True:
    file = os.open(mine + "/new", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    os.write(file, state)
    os.fsync(file)
    os.close(file)
    os.rename(mine + "/new", mine + "/registry.json")
    os.fsync(folder)
