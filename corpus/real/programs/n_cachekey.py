"""Serves 25 preview cards a second out of 1500 that are kept as files of 16 KB. When /tmp/go exists the key of the cache has a new version: what is
not there under its new name is rendered from three blocks at random of a file of 600 MB, and kept."""
import os
import random

import pace

os.makedirs("/data/cards", exist_ok=True)
for number in range(1500):
    with open(f"/data/cards/v1-{number}", "wb") as card:
        card.write(b"c" * 16384)
os.sync()
posts = os.open("/data/lite.db", os.O_RDONLY)
os.posix_fadvise(posts, 0, 0, os.POSIX_FADV_RANDOM)


def serve():
    version = 2 if os.path.exists("/tmp/go") else 1
    name = f"/data/cards/v{version}-{random.randrange(1500)}"
    try:
        with open(name, "rb") as card:
            card.read()
    except FileNotFoundError:
        parts = [os.pread(posts, 4096, random.randrange(140000) * 4096) for _ in range(3)]
        with open(name, "wb") as card:
            card.write(b"".join(parts) + b"c" * 4096)


pace.serve(serve, interval=0.04)
