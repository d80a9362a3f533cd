"""A pod that holds its prices in memory: ten requests a second, each of which looks at 40 pages at random; the kernel may kill it first. Argument: MiB.
Prints in each second clock, requests and ms of each, and 0 while it loads."""
import random
import sys
import threading
import time

import g_steady

open("/proc/self/comm", "w").write("pricing")
open("/proc/self/oom_score_adj", "w").write("900")
size, table = int(sys.argv[1]), []


def load():
    while len(table) < size:
        table.append(bytearray(b"p") * 1048576)
        time.sleep(0.01)


def price():
    while len(table) < size:
        time.sleep(0.1)
    for _ in range(40):
        table[random.randrange(size)][random.randrange(256) * 4096] ^= 1


threading.Thread(target=load).start()
g_steady.serve(price, 10)
