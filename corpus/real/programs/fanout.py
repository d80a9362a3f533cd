"""A broker appends MB a second to the log of a topic, a tenth of it at a time. Arguments: the log, MB."""
import os
import sys
import time

piece = os.urandom(int(float(sys.argv[2]) * 1e5))
with open(sys.argv[1], "ab", 0) as log:
    while True:
        log.write(piece)
        time.sleep(0.1)
