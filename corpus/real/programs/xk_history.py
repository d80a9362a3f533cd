"""Keeps a history in memory that nobody reads again: MiB of it, at MiB/s, of words that compress well. Arguments: both."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("historyd")
held = []
while len(held) < int(sys.argv[1]):
    held.append(bytearray(b"level=info msg=ok path=/health code=200 ms=%06d " % len(held) * 22000))
    time.sleep(1 / float(sys.argv[2]))
time.sleep(10000)
