"""Appends so many records a second to a ledger and syncs each. Arguments: the ledger, the records a second."""
import os
import sys

import g_steady

file = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY | os.O_APPEND)


def commit():
    os.write(file, b"l" * 300)
    os.fdatasync(file)


g_steady.serve(commit, float(sys.argv[2]))
