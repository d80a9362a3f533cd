"""Prints once a second the clock and how many bytes a file grew by: each byte is a job that was done. Argument: the file."""
import os
import sys
import time

known = 0
while True:
    time.sleep(1 - time.time() % 1)
    size = os.path.getsize(sys.argv[1]) if os.path.exists(sys.argv[1]) else 0
    print(int(time.time()), size - known, flush=True)
    known = size
