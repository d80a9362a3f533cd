"""The server of a dev container: loads its modules, so many MB of a heap, 40 MB a second, then answers 20 requests a second, each of which touches 20 pages of the
heap. Argument: the MB. Prints clock, requests, ms."""
import random
import sys
import time

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("devserver")
MIB, heap = 1 << 20, []
for _ in range(int(sys.argv[1])):
    heap.append(bytearray(b"m") * MIB)
    time.sleep(0.02)


def request():
    for _ in range(20):
        random.choice(heap)[random.randrange(256) << 12] ^= 1


g_steady.serve(request, 20)
