"""A pod that looks up products in a file of its image: six threads, each of which reads 4 KB at random. Arguments: MiB of the file, lookups a
second of a thread, and the file if it is another one. Prints nothing."""
import os
import random
import sys
import threading
import time

open("/proc/self/comm", "w").write("product-catalog")
size, rate = int(sys.argv[1]), float(sys.argv[2])
path = sys.argv[3] if len(sys.argv) > 3 else "/data/lite.db"
file = os.open(path, os.O_RDONLY)
for at in range(size):
    os.pread(file, 1 << 20, at << 20)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def look():
    due = time.time()
    while True:
        os.pread(file, 4096, random.randrange(size * 256) << 12)
        due = max(due + 1 / rate, time.time() - 1)
        time.sleep(max(0, due - time.time()))


for _ in range(6):
    threading.Thread(target=look).start()
