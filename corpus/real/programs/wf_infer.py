"""Scores pictures by a small model; requests arrive at random, and one thread serves them. Arguments: requests a second, ms of CPU of each."""
import sys
import time

import quokka_tally

with open("/proc/self/comm", "w") as comm:
    comm.write("inferd")


def layer(count):
    total = 0.0
    for n in range(count):
        total = total * 0.5 + n
    return total


began, count = time.process_time(), 0
while time.process_time() - began < 0.5:
    layer(500)
    count += 500
each = int(count / 0.5 * float(sys.argv[2]) / 1000)
quokka_tally.serve(lambda: layer(each) is not None, float(sys.argv[1]), 1)
