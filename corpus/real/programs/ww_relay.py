"""A relay of a radio stream: connects to its source for nine seconds, then sends 25 blocks a second. From when /tmp/go exists a listener does not read, and
the relay keeps 25 MB a second for him, without a limit."""
import os
import random
import time

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("icerelay")
for _ in range(9):
    time.sleep(1 - time.time() % 1)
    print(int(time.time()), 0, flush=True)
kept, block = [], random.randbytes(4096)


def send():
    if os.path.exists("/tmp/go"):
        kept.append(bytearray(block * 256))


g_steady.serve(send, 25)
