"""Renews 20 leases a second: takes a lock on a file, writes the lease to it, and lets the lock go."""
import fcntl
import os

import pace

file = os.open("/run/lease", os.O_CREAT | os.O_RDWR)


def renew():
    fcntl.flock(file, fcntl.LOCK_EX)
    os.pwrite(file, b"lease", 0)
    fcntl.flock(file, fcntl.LOCK_UN)


pace.serve(renew)
