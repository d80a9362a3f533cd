"""Recommends: twelve requests a second, each of which computes for some ms of a CPU. Argument: the ms."""
import sys
import time

import wc_load


def work(count):
    value = 1
    for n in range(count):
        value = value * 31 % 1000003


began, count = time.process_time(), 0
while time.process_time() - began < 0.5:
    work(1000)
    count += 1000
each = int(count * 2 * float(sys.argv[1]) / 1000)
wc_load.serve(lambda: work(each), 12)
