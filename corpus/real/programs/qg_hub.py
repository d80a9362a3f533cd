"""The hub of a smart home: 84 MB of mapped libraries and integrations, which it has read before; each of ten events a second needs 16 random pages of
them."""
import mmap
import random

import wc_load

SIZE = 84 << 20
with open("/data/map/data.mdb", "rb") as file:
    for _ in range(2):
        file.seek(0)
        for _ in range(84):
            file.read(1 << 20)
    code = mmap.mmap(file.fileno(), SIZE, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_EXEC)
code.madvise(mmap.MADV_RANDOM)
sum(code[at] for at in range(0, SIZE, 4096))
wc_load.serve(lambda: [code[random.randrange(SIZE)] for _ in range(16)], 10, "homehub")
