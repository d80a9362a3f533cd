"""A server of 100 MB of plugins, which are mapped to be executed; each of 12 requests a second jumps to eight random pages of them."""
import mmap
import random

import h_open

SIZE = 100 << 20
with open("/data/lite.db", "rb") as file:
    for _ in range(2):
        file.seek(0)
        for _ in range(100):
            file.read(1 << 20)
    code = mmap.mmap(file.fileno(), SIZE, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_EXEC)
sum(code[at] for at in range(0, SIZE, 4096))


def request():
    for _ in range(8):
        code[random.randrange(SIZE)]


h_open.serve(request, 12)
