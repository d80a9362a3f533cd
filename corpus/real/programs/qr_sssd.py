"""The cache of a login service: eight logins at once, each writes three pages of the database and syncs, four times, as its transactions do.
Argument: the database, of 24 MB."""
import os
import random
import sys
import threading

with open("/proc/self/comm", "w") as comm:
    comm.write("sssd_be")
page = os.urandom(4096)


def logins():
    base = os.open(sys.argv[1], os.O_RDWR)
    while True:
        for _ in range(4):
            for _ in range(3):
                os.pwrite(base, page, random.randrange(6144) * 4096)
            os.fdatasync(base)


for _ in range(7):
    threading.Thread(target=logins, daemon=True).start()
logins()
