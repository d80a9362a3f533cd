"""A game server maps its files of assets and touches each page of them once, in steps of 1 MB in random order. Arguments: the files."""
import mmap
import random
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("assetserver")
maps = []
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        maps.append(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ))
for assets in maps:
    places = list(range(0, len(assets), 1 << 20))
    random.shuffle(places)
    for place in places:
        sum(assets[at] for at in range(place, min(place + (1 << 20), len(assets)), 4096))
time.sleep(10000)
