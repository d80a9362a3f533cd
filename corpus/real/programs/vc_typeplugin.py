"""A plugin of an IDE loads the types of a project: so many MiB, 30 a second, and keeps looking at them. Argument: MiB."""
import random
import sys
import time

held = []
while True:
    if len(held) < int(sys.argv[1]):
        held += [bytearray(b"t") * 1048576 for _ in range(3)]
    for _ in range(200):
        random.choice(held)[random.randrange(1048576)] = 1
    time.sleep(0.1)
