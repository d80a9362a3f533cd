"""A mail filter for a virus scanner that never frees the buffers of the archives that it unpacked: 5 MB a second while there are mails, until little memory is
left, and nothing then."""
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("clamav-milter")


def available():
    for line in open("/proc/meminfo"):
        if line.startswith("MemAvailable"):
            return int(line.split()[1]) >> 10


held = []
while True:
    if len(held) % 8 or available() > 42:
        held.append(bytearray(b"m") * (1 << 19))
    time.sleep(0.1)
