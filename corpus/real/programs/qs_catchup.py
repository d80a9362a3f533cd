"""Consumers that catch up read the entries of their topic, which lie scattered in a ledger: so many threads read KB at random places of a file.
Arguments: the file, threads, KB. Prints nothing."""
import os
import random
import sys
import threading

import qs_query

qs_query.name("catchup")
file, size = os.open(sys.argv[1], os.O_RDONLY), int(sys.argv[3]) * 1024
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
places = os.fstat(file).st_size // size


def consume():
    while True:
        os.pread(file, size, random.randrange(places) * size)


for _ in range(int(sys.argv[2])):
    threading.Thread(target=consume).start()
