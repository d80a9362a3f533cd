"""The garbage collection of a container runtime: some stores, each a bolt database in which every removal changes eight pages and is synced before
the next. Prints nothing. Arguments: the folder, the number of stores."""
import os
import random
import sys
import threading

with open("/proc/self/comm", "w") as name:
    name.write("containerd")
os.makedirs(sys.argv[1], exist_ok=True)


def sweep(number):
    file = os.open(f"{sys.argv[1]}/meta{number}.db", os.O_CREAT | os.O_RDWR)
    for _ in range(8):
        os.write(file, bytes(1 << 20))
    os.fsync(file)
    while True:
        for at in random.sample(range(2048), 8):
            os.pwrite(file, b"r" * 4096, at << 12)
        os.fdatasync(file)


for number in range(int(sys.argv[2])):
    threading.Thread(target=sweep, args=(number,)).start()
