"""A base backup from within the pod of a database: reads all files below a folder with six threads, in blocks of 64 KB, and keeps none of it in the page cache.
Argument: the folder."""
import os
import sys
import threading

with open("/proc/self/comm", "w") as comm:
    comm.write("barman")
todo = sorted(os.path.join(place, name) for place, _, names in os.walk(sys.argv[1]) for name in names)
todo.sort(key=os.path.getsize)


def upload():
    while todo:
        with open(todo.pop(), "rb", 0) as file:
            while file.read(1 << 16):
                os.posix_fadvise(file.fileno(), 0, max(0, file.tell() - (1 << 20)), os.POSIX_FADV_DONTNEED)


for _ in range(6):
    threading.Thread(target=upload).start()
