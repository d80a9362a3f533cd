"""Holds MiB of memory, and uses all of it once when /tmp/go exists. Argument: the MiB."""
import os
import sys
import time

held = [bytearray(b"x") * 1048576 for _ in range(int(sys.argv[1]))]
while not os.path.exists("/tmp/go"):
    time.sleep(0.2)
for block in held:
    block[::4096] = b"y" * 256
    time.sleep(0.05)
time.sleep(10000)
