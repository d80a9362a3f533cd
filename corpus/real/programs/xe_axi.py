"""Builds an index of all packages: collects their terms in memory, MB at MB/s, and goes over all of them for each pass of the sort, over and
over. Arguments: the MB, MB/s."""
import sys
import time

size, rate = map(int, sys.argv[1:])
terms = []
while len(terms) < size:
    terms.append(bytearray(b"t") * (1 << 20))
    time.sleep(1 / rate)
while True:
    for block in terms:
        block[::4096] = b"u" * 256
    time.sleep(0.1)
