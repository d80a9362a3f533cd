"""Opens the cache of all packages and works out an upgrade: takes memory until the host has 20 MiB available, then 110 MiB more, and goes over
all of it again and again."""
import random
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("unattended-upgr")


def available():
    with open("/proc/meminfo") as meminfo:
        for line in meminfo:
            if line.startswith("MemAvailable"):
                return int(line.split()[1]) // 1024


def touch(block):
    block[::4096] = b"v" * 256


packages = []
while available() > 20:
    packages.append(bytearray(b"p") * 1048576)
    time.sleep(0.04)
for _ in range(110):
    packages.append(bytearray(b"p") * 1048576)
    for block in random.sample(packages, 10):
        touch(block)
while True:
    for block in packages:
        touch(block)
    time.sleep(0.05)
