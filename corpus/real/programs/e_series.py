"""A store of time series: 20 batches of points a second for series in its memory (55 MB). From when /tmp/go exists points carry the number of
a request in a label, so that each batch makes new series: 8 MB more each second."""
import os
import random

import pace

with open("/proc/self/comm", "w") as name:
    name.write("tsdbd")
series = [bytearray(b"s") * 8192 for _ in range(7000)]


def batch():
    for _ in range(20):
        series[random.randrange(len(series))][random.randrange(8192)] = 1
    if os.path.exists("/tmp/go"):
        series.extend(bytearray(b"n") * 8192 for _ in range(50))


pace.serve(batch)
