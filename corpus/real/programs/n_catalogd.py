"""Serves 15 products a second: two blocks of a mapped file of 50 MB, all of it read at the start, and a price out of a table in memory of 40 MB."""
import mmap
import random

import pace

SIZE = 50 << 20
with open("/data/lite.db", "rb") as file:
    catalog = mmap.mmap(file.fileno(), SIZE, prot=mmap.PROT_READ)
sum(catalog[at] for at in range(0, SIZE, 4096))
prices = [bytearray(b"p") * 1048576 for _ in range(40)]


def product():
    for _ in range(2):
        at = random.randrange(SIZE // 4096) * 4096
        catalog[at : at + 2000]
    prices[random.randrange(40)][random.randrange(1048576)]


pace.serve(product, interval=1 / 15)
