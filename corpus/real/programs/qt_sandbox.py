"""The sandbox of an agent: MB of memory that it fills at its start and does not use until /tmp/go exists; then it goes through all of it, again and
again. Argument: the MB."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("sandbox")
state = [bytearray(os.urandom(65536) * 16) for _ in range(int(sys.argv[1]))]
while not os.path.exists("/tmp/go"):
    time.sleep(0.5)
while True:
    for part in state:
        part[::4096] = b"a" * 256
    time.sleep(0.2)
