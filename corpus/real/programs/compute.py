"""Serves 20 requests a second, or one in so many seconds, each of which takes some ms of a CPU when nobody else computes. Arguments: the ms; the
seconds."""
import sys
import time

import pace


def work(count):
    value = 1
    for n in range(count):
        value = value * 31 % 1000003


began, count = time.process_time(), 0
while time.process_time() - began < 0.5:
    work(1000)
    count += 1000
each = int(count / 0.5 * float(sys.argv[1]) / 1000)
pace.serve(lambda: work(each), interval=float(sys.argv[2]) if len(sys.argv) > 2 else 0.05)
