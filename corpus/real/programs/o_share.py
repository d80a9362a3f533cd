"""A file server: ten requests a second, each opens one of the files of a share and reads 20 blocks of 4 KB of it at random. It has read all
files before. Argument: the folder."""
import os
import random
import sys
import time

import pace

names = [entry.path for entry in os.scandir(sys.argv[1]) if entry.is_file()]
for name in names:
    with open(name, "rb") as file:
        while file.read(1 << 20):
            pass


def request():
    while True:
        try:
            file = os.open(random.choice(names), os.O_RDONLY)
            break
        except OSError:
            time.sleep(0.1)
    blocks = os.fstat(file).st_size // 4096
    for _ in range(20):
        os.pread(file, 4096, random.randrange(blocks) * 4096)
    os.close(file)


pace.serve(request, interval=0.1)
