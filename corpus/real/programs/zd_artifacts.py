"""A store of artifacts sends four of them a second, and 18 a second from when /tmp/go exists: each is ten pieces of 32 KB at random, read around the page
cache by eight threads."""
import mmap
import os
import random
import threading

import vd_desk

with open("/proc/self/comm", "w") as comm:
    comm.write("artifactory")
store, own = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), threading.local()


class Rate:
    def __rtruediv__(self, one):
        return one / (18 if os.path.exists("/tmp/go") else 4)


def send():
    if not hasattr(own, "room"):
        own.room = mmap.mmap(-1, 32768)
    for _ in range(10):
        os.preadv(store, [own.room], random.randrange(16000) * 32768)


vd_desk.serve(send, Rate(), 8)
