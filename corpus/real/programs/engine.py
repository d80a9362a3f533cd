"""A browser engine of 80 MB of code renders 20 pages a second: each jumps through six random pages of its code, which is mapped to be executed."""
import mmap
import random

import pace

SIZE = 80 << 20
with open("/data/lite.db", "rb") as file:
    for _ in range(2):
        file.seek(0)
        for _ in range(80):
            file.read(1 << 20)
    code = mmap.mmap(file.fileno(), SIZE, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ | mmap.PROT_EXEC)
sum(code[0:SIZE:4096])


def render():
    for _ in range(6):
        code[random.randrange(SIZE)]


pace.serve(render)
