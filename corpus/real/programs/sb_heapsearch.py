"""A search node with a heap of MB: each search looks at 40 pages of it at random, 10 a second, and every 5 s a collection walks through all of it.
Prints in each second: clock, searches, ms of one. Argument: the MB."""
import random
import sys
import threading
import time

import qs_query

qs_query.name("elasticsearch")
size = int(sys.argv[1])
heap = [bytearray(b"h") * 1048576 for _ in range(size)]


def collect():
    while True:
        time.sleep(5)
        for block in heap:
            for at in range(0, 1048576, 65536):
                sum(block[at : at + 65536 : 4096])


def search():
    for _ in range(40):
        heap[random.randrange(size)][random.randrange(256) * 4096]


threading.Thread(target=collect, daemon=True).start()
qs_query.serve(search, 10)
