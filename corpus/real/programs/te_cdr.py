"""A switch that sets up calls: so many a second, and before each goes on, its record is appended to a journal and synced. Arguments: the journal, calls a
second. Prints clock, calls and ms of each once a second."""
import os
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("callswitch")
journal = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o644)


def call():
    os.write(journal, b"INVITE;+4930123;+4940321;2026-01-01T00:00:00;g711a;" * 4)
    os.fdatasync(journal)


g_steady.serve(call, float(sys.argv[2]))
