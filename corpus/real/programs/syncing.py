"""Appends bytes to a journal and syncs them, as fast as the disk allows. Arguments: the journal, the bytes."""
import os
import sys

file = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY)
while True:
    os.write(file, b"z" * int(sys.argv[2]))
    os.fsync(file)
