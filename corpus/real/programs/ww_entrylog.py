"""A bookie's journal-less ledger storage: appends MB a second to entry logs of 100 MB, four of them in turn, without a sync. Arguments: the prefix of
the files, the MB a second."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("entrylogger")
part, pause, number = os.urandom(1 << 20), 1 / float(sys.argv[2]), 0
while True:
    with open(f"{sys.argv[1]}{number % 4}", "wb") as log:
        for _ in range(100):
            log.write(part)
            time.sleep(pause)
    number += 1
