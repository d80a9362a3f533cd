"""Renders pages, each of which takes some ms of a CPU. Arguments: the ms, pages a second."""
import sys
import time

import wc_load


def render(count):
    value = 3
    for n in range(count):
        value = (value * 37 + n) % 1000033


began, count = time.process_time(), 0
while time.process_time() - began < 0.5:
    render(1000)
    count += 1000
each = int(count / 0.5 * float(sys.argv[1]) / 1000)
wc_load.serve(lambda: render(each), float(sys.argv[2]), "storefront")
