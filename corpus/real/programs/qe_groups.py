"""Applies a function to ten groups of rows a second, in a worker that loaded 60 MB. A group is 2 MB, which the worker gives back; from when /tmp/go exists the
next group is the skewed one of 260 MB, which is tried again until it was done."""
import os
import time

import xd_watch

loaded = []


def setup():
    for _ in range(60):
        loaded.append(bytearray(b"l") * (1 << 20))
        time.sleep(0.04)


def group():
    rows = []
    for _ in range(260 if os.path.exists("/tmp/go") else 2):
        rows.append(bytearray(b"r") * (1 << 20))
        if len(rows) % 8 == 0:
            time.sleep(0.05)


xd_watch.serve(setup, group, 10, "pyspark.daemon")
