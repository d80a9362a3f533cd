"""A rule engine of 220 MB forks four workers, which only read what they share with it."""
import os
import time

rules = bytearray(b"r") * (220 << 20)
while not os.path.exists("/tmp/go"):
    time.sleep(0.2)
for _ in range(4):
    if not os.fork():
        break
    time.sleep(2)
while True:
    for at in range(0, 220, 2):
        rules.count(b"q", at << 20, (at << 20) + 65536)
        time.sleep(0.05)
