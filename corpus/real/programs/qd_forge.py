"""A forge of repositories: six pages a second on eight threads, each of three pieces of 16 KB of packs at random around the page cache; when /tmp/go exists
ten a second, and 30 pieces each."""
import mmap
import os
import random
import threading

import quokka_tally

with open("/proc/self/comm", "w") as comm:
    comm.write("forge")
packs, own = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), threading.local()


class Rate:
    def __rtruediv__(self, one):
        return one / (10 if os.path.exists("/tmp/go") else 6)


def page():
    if not hasattr(own, "room"):
        own.room = mmap.mmap(-1, 16384)
    for _ in range(30 if os.path.exists("/tmp/go") else 3):
        os.preadv(packs, [own.room], random.randrange(32000) * 16384)


quokka_tally.serve(page, Rate(), 8)
