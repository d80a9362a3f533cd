"""A repository of charts that reads all of them in order, one after the other, to make its index, again and again; from when /tmp/go exists there are
more. Arguments: the charts of 1 MB, those later, how many are read in a second."""
import itertools
import os
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("chartmuseum")
few, many = int(sys.argv[1]), int(sys.argv[2])
file = os.open("/data/lite.db", os.O_RDONLY)


def chart(number):
    for part in range(16):
        os.pread(file, 65536, number * 1048576 + part * 65536)


def order():
    while True:
        yield from range(many if os.path.exists("/tmp/go") else few)


for number in itertools.chain(range(few), range(few)):
    chart(number)
charts = order()
g_steady.serve(lambda: chart(next(charts)), float(sys.argv[3]))
