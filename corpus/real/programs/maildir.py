"""A mail server writes each message to a file of its own, and syncs it."""
import os
import sys

for number in range(10**6):
    file = os.open(f"/data/mail/{sys.argv[1]}-%d" % number, os.O_CREAT | os.O_WRONLY)
    os.write(file, bytes(3000))
    os.fsync(file)
    os.close(file)
