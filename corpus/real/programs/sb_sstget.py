"""A store of sorted tables: each get reads blocks of 16 KB at random from a table that it has written and read twice before. When the file /tmp/compact
exists, it compacts the table: writes it again with direct I/O, goes over to the new one, and deletes the old one. Prints in each second: clock, gets,
ms of one. Arguments: the table, its MB, blocks of a get, gets a second."""
import mmap
import os
import random
import sys
import threading
import time

import qs_query

qs_query.name("state-store")
path, size, blocks = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
table = [qs_query.write(path, size)]
qs_query.warm(table[0], size)


def compact():
    while not os.path.exists("/tmp/compact"):
        time.sleep(0.2)
    new = os.open(path + ".new", os.O_CREAT | os.O_WRONLY | os.O_DIRECT)
    block = mmap.mmap(-1, 1 << 20)
    for n in range(size):
        os.preadv(table[0], [block], n << 20)
        os.pwrite(new, block, n << 20)
    os.fsync(new)
    os.close(new)
    file = os.open(path + ".new", os.O_RDONLY)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
    old, table[0] = table[0], file
    time.sleep(1)
    os.unlink(path)
    os.close(old)


def get():
    file = table[0]
    for _ in range(blocks):
        os.pread(file, 16384, random.randrange(size * 64) * 16384)


threading.Thread(target=compact, daemon=True).start()
qs_query.serve(get, int(sys.argv[4]))
