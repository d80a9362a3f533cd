"""A service loads its tables, 90 MB in some seconds, and then answers ten requests a second from them; prints 0 while it loads."""
import random
import time

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("quotad")
tables = []


def request():
    while len(tables) < 90:
        tables.append(bytearray(b"q") * (1 << 20))
        time.sleep(0.03)
    for _ in range(20):
        random.choice(tables)[random.randrange(256) << 12] = 1


g_steady.serve(request, 10)
