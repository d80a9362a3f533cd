"""A storage engine that maps its file: updates rows in every second page of /data/store, then flushes all, again and again."""
import mmap
import os

with open("/proc/self/comm", "w") as name:
    name.write("mapstore")
file = os.open("/data/store", os.O_RDWR)
size = os.fstat(file).st_size
store, turn = mmap.mmap(file, size), 0
while True:
    turn += 1
    for at in range(turn % 2 * 4096, size, 8192):
        store[at] = turn % 256
    store.flush()
