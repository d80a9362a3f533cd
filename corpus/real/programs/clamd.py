"""Holds the signatures of a virus scanner, of MiB; when /tmp/go exists it loads new ones of MiB at MiB/s, and drops the old ones then."""
import os
import sys
import time

old, new, rate = (int(value) for value in sys.argv[1:])
engine = [bytearray(b"x") * 1048576 for _ in range(old)]
print("ready", flush=True)
while not os.path.exists("/tmp/go"):
    time.sleep(0.1)
loading = []
while len(loading) < new:
    loading.append(bytearray(b"y") * 1048576)
    time.sleep(1 / rate)
time.sleep(6)
engine = loading
del loading
time.sleep(10000)
