"""A database with 250 MB of memory, which it fills when it starts, in some ten seconds, and then answers ten requests a second from it; prints 0 while it
starts."""
import random
import time

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("mysqld")
pool = []


def request():
    while len(pool) < 250:
        pool.append(bytearray(b"m") * (1 << 20))
        time.sleep(0.04)
    for _ in range(20):
        random.choice(pool)[random.randrange(256) << 12] = 1


g_steady.serve(request, 10)
