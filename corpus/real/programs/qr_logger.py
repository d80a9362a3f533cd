"""Logs events: 40 buffered writes of 40 KB a second to a log, and nothing is synced. A log of 24 MB is deleted and a new one begun. Argument: the
folder."""
import os
import sys

import g_steady

os.makedirs(sys.argv[1], exist_ok=True)
events, size, log = os.urandom(40000), 0, None


def write():
    global size, log
    if log is None or size > 24000000:
        if log is not None:
            os.close(log)
            os.unlink(f"{sys.argv[1]}/log")
        log, size = os.open(f"{sys.argv[1]}/log", os.O_CREAT | os.O_WRONLY | os.O_TRUNC), 0
    size += os.write(log, events)


g_steady.serve(write, 40)
