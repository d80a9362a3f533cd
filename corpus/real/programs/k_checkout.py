"""A checkout: about so many requests a second, each computes for some ms of a CPU. Arguments: the requests, the ms."""
import sys
import time

import h_open


def work(count):
    total = 0
    for n in range(count):
        total = (total * 33 + n) & 0xFFFFFF


began, count = time.process_time(), 0
while time.process_time() - began < 0.4:
    work(500)
    count += 500
each = int(count / 0.4 * float(sys.argv[2]) / 1000)
h_open.serve(lambda: work(each), float(sys.argv[1]))
