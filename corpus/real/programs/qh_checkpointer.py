"""The checkpoint of a cluster with a file for each table of 600 customers: it writes a page of each, and syncs one after the other. Arguments: the
folder, and `create` to make the files."""
import os
import sys

open("/proc/self/comm", "w").write("checkpointer")
folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
flags = os.O_CREAT | os.O_WRONLY
files = [os.open(f"{folder}/{16384 + n}", flags) for n in range(600)]
if sys.argv[2:]:
    for file in files:
        os.write(file, b"r" * 32768)
    sys.exit()
turn = 0
while True:
    for file in files:
        os.pwrite(file, b"c" * 8192, turn % 4 * 8192)
    for file in files:
        os.fsync(file)
    turn += 1
