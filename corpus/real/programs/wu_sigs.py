"""A virus scanner: holds MB of signatures; from when /tmp/go exists it loads a new set beside the old one, MB a second, and drops the old one after some
seconds (ConcurrentDatabaseReload). Scans a small file now and then. Arguments: the MB, MB a second, the seconds."""
import os
import sys
import time
import zlib

with open("/proc/self/comm", "w") as comm:
    comm.write("clamd")
size, rate, both = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])


def load():
    signatures = []
    for _ in range(size):
        signatures.append(bytearray(os.urandom(4096) * 256))
        time.sleep(1 / rate)
    return signatures


used = load()
open("/tmp/loaded", "w").close()
while True:
    if os.path.exists("/tmp/go"):
        os.remove("/tmp/go")
        fresh = load()
        time.sleep(both)
        used = fresh
        del fresh
    with open("/etc/passwd", "rb") as file:
        zlib.crc32(file.read())
    time.sleep(0.3)
