"""A caching proxy: 25 requests a second for 2000 objects, each a file of 8 KB of its cache on /bulk; what is not there is read from the origin,
three blocks of /data/lite.db, and kept."""
import os
import random

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("cacheproxy")
origin = os.open("/data/lite.db", os.O_RDONLY)
os.posix_fadvise(origin, 0, 0, os.POSIX_FADV_RANDOM)
os.makedirs("/bulk/pcache", exist_ok=True)
page = os.urandom(8192)


def keep(number):
    with open(f"/bulk/pcache/{number}", "wb", 0) as file:
        file.write(page)


def get():
    number = random.randrange(2000)
    try:
        with open(f"/bulk/pcache/{number}", "rb", 0) as file:
            file.read()
    except FileNotFoundError:
        for block in range(3):
            os.pread(origin, 4096, (number * 7919 + block * 50333) % 140000 * 4096)
        keep(number)


for number in range(2000):
    keep(number)
vd_desk.serve(get, 25)
