"""Appends lines to a log without a sync. Arguments: the log, lines a second."""
import sys
import time

log = open(sys.argv[1], "a", 1)
while True:
    log.write(f"{time.time()} " + "m" * 800 + "\n")
    time.sleep(1 / float(sys.argv[2]))
