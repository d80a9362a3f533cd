"""A table of counters in a file of 12 MB, written through the page cache and never synced by the program: 12 requests a second write 30 of its pages each, at
random, the same ones again and again. Prints clock, requests and ms of each."""
import os
import random

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("counterdb")
PAGES, page = 3072, os.urandom(4096)
table = os.open("/data/counters.db", os.O_CREAT | os.O_RDWR)
for number in range(PAGES):
    os.pwrite(table, page, number << 12)
os.fsync(table)


def request():
    for _ in range(30):
        os.pwrite(table, page, random.randrange(PAGES) << 12)


g_steady.serve(request, 12)
