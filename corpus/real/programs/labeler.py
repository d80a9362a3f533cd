"""Loads pictures to label them, until only MiB of files are cached. Arguments: MiB, MiB/s."""
import sys
import time

import room

open("/proc/self/comm", "w").write("labeler")
least, rate = (int(value) for value in sys.argv[1:])
held = []
while True:
    if room.files() >= least:
        held.append(bytearray(b"i") * (1 << 20))
        time.sleep(1 / rate)
    else:
        time.sleep(0.5)
