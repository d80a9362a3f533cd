"""A log shipper whose receiver is down keeps what it gets in its buffer. Arguments: MiB at most, MiB/s."""
import os
import sys
import time

limit, rate = (int(value) for value in sys.argv[1:])
records = os.urandom(1 << 18)
buffer = []
while len(buffer) < 4 * limit:
    buffer.append(bytearray(records))
    time.sleep(0.25 / rate)
time.sleep(10000)
