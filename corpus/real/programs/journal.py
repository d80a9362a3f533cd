"""Appends ten records a second to a journal and syncs each. Argument: the journal."""
import os
import sys

import pace

file = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY | os.O_APPEND)


def append():
    os.write(file, b"q" * 200)
    os.fsync(file)


pace.serve(append, interval=0.1)
