"""A backup server stores chunks: each is a file of its own that is written, synced, renamed to its place, and the folder is synced, too. Argument: the store."""
import os
import sys

with open("/proc/self/comm", "w") as name:
    name.write("proxmox-backup")
store = sys.argv[1]
os.makedirs(store, exist_ok=True)
folder, count = os.open(store, os.O_RDONLY), 0
while True:
    chunk = os.open(f"{store}/new", os.O_CREAT | os.O_WRONLY)
    os.write(chunk, b"c" * 12000)
    os.fsync(chunk)
    os.close(chunk)
    os.rename(f"{store}/new", f"{store}/{count:08x}")
    os.fsync(folder)
    count += 1
