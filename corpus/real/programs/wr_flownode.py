"""A pipeline of a CI controller that keeps each step durable: writes the step's file of bytes under another name, syncs it, renames it and syncs the folder, step
after step. Arguments: the folder, the bytes."""
import os
import sys

with open("/proc/self/comm", "w") as name:
    name.write("flownodes")
folder, step = sys.argv[1], 0
os.makedirs(folder, exist_ok=True)
entries = os.open(folder, os.O_RDONLY)
while True:
    step += 1
    file = os.open(f"{folder}/atomic.tmp", os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
    os.write(file, b"<" * int(sys.argv[2]))
    os.fsync(file)
    os.close(file)
    os.rename(f"{folder}/atomic.tmp", f"{folder}/{step % 500}.xml")
    os.fsync(entries)
