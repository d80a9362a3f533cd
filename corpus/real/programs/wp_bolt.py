"""Daemons that build images, each with the metadata of its cache in a database like bbolt: a transaction writes four pages in place and syncs, then
the meta page and syncs again, without a pause. Arguments: the folder, the daemons."""
import os
import random
import sys

folder, number = sys.argv[1], 1
os.makedirs(folder, exist_ok=True)
while number < int(sys.argv[2]) and os.fork():
    number += 1
with open("/proc/self/comm", "w") as name:
    name.write("buildkitd")
base = os.open(f"{folder}/cache{number}.db", os.O_CREAT | os.O_RDWR)
os.write(base, bytes(2 << 20))
os.fsync(base)
page = os.urandom(4096)
while True:
    for _ in range(4):
        os.pwrite(base, page, random.randrange(2, 512) << 12)
    os.fdatasync(base)
    os.pwrite(base, page, random.randrange(2) << 12)
    os.fdatasync(base)
