"""Scores the documents of 20 queries a second: 8 ms of a CPU for each, when nobody else computes."""
import time

import pace

with open("/proc/self/comm", "w") as name:
    name.write("searchd")


def score(count):
    value = 7
    for n in range(count):
        value = (value * 13 + n) & 65535


began, count = time.process_time(), 0
while time.process_time() - began < 0.5:
    score(500)
    count += 500
each = int(count / 0.5 * 0.008)
pace.serve(lambda: score(each))
