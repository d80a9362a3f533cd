"""A file server: so many requests a second, each opens one of the files of a share and reads blocks of 4 KB of it at random. It makes the files
and reads them once. Arguments: the folder, the files, KB of each, blocks, requests a second."""
import os
import random
import sys

import g_steady

folder, (count, size, blocks, rate) = sys.argv[1], (int(value) for value in sys.argv[2:])
os.makedirs(folder, exist_ok=True)
names, page = [f"{folder}/plan{number}.docx" for number in range(count)], os.urandom(4096)
for name in names:
    with open(name, "wb", 0) as new:
        for _ in range(size // 4):
            new.write(page)
        os.fsync(new.fileno())
        os.posix_fadvise(new.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
for name in names:
    with open(name, "rb", 0) as old:
        while old.read(1 << 17):
            pass


def request():
    file = os.open(random.choice(names), os.O_RDONLY)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
    for _ in range(blocks):
        os.pread(file, 4096, random.randrange(size // 4) << 12)
    os.close(file)


g_steady.serve(request, rate)
