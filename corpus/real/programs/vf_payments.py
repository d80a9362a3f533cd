"""Authorises six payments a second; each is two records of 1 KB in a ledger, synced one after the other."""
import os

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("paymentd")
ledger = os.open("/data/ledger", os.O_CREAT | os.O_WRONLY | os.O_APPEND)


def payment():
    for state in (b"h", b"c"):
        os.write(ledger, state * 1024)
        os.fdatasync(ledger)


g_steady.serve(payment, 6)
