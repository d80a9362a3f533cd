"""A consumer reads old segments from their beginning, over and over. Arguments: MB/s (0: as fast as it can), files. Prints nothing."""
import sys
import time

import qs_query

qs_query.name("consumer")
rate = float(sys.argv[1])
while True:
    for path in sys.argv[2:]:
        with open(path, "rb", buffering=0) as segment:
            while segment.read(1048576):
                if rate:
                    time.sleep(1 / rate)
