"""Upgrades packages of a system, at low priority: unpacks each file of a package (20 KB, 30 a second), renames it into place, syncs at the end of
each package."""
import os
import time
import zlib

os.nice(15)
with open("/proc/self/comm", "w") as name:
    name.write("unattended-upgr")
os.makedirs("/var/lib/upgrade", exist_ok=True)
packed, count = zlib.compress(os.urandom(10000) * 2), 0
while True:
    count += 1
    path = f"/var/lib/upgrade/{count % 600}"
    with open(path + ".dpkg-new", "wb") as file:
        file.write(zlib.decompress(packed))
        if count % 30 == 0:
            os.fsync(file.fileno())
    os.rename(path + ".dpkg-new", path)
    time.sleep(1 / 30)
