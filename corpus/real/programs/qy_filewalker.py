"""Looks at all pieces of a storage node: threads read blocks of 4 KB at random from the files of some folders, as fast as the disk gives them. Arguments: the
threads; the folders. Prints nothing."""
import os
import random
import sys
import threading
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("storagenode")
files = []
for folder in sys.argv[2:]:
    for name in os.listdir(folder):
        path = f"{folder}/{name}"
        if os.path.isfile(path) and os.path.getsize(path) > 8 << 20:
            file = os.open(path, os.O_RDONLY)
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
            files.append((file, os.path.getsize(path) >> 12))


def walk():
    while True:
        file, blocks = random.choices(files, [size for _, size in files])[0]
        os.pread(file, 4096, random.randrange(blocks) << 12)


for _ in range(int(sys.argv[1])):
    threading.Thread(target=walk, daemon=True).start()
time.sleep(10000)
