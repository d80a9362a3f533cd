"""Prices five baskets a second, each of which takes some ms of a CPU. Argument: the ms."""
import sys
import time

import pace


def work(count):
    value = 7
    for n in range(count):
        value = value * 29 % 1000033


began, count = time.process_time(), 0
while time.process_time() - began < 0.5:
    work(1000)
    count += 1000
each = int(count / 500 * float(sys.argv[1]))
pace.serve(lambda: work(each), interval=0.2)
