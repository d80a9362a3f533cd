"""A download program writes pieces of 16 KB at random places of a file of 900 MB."""
import os
import random

file = os.open("/data/image.part", os.O_CREAT | os.O_WRONLY)
os.truncate(file, 900 << 20)
order = list(range(57600))
random.shuffle(order)
piece = os.urandom(16384)
for place in order:
    os.pwrite(file, piece, place * 16384)
