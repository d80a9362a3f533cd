"""Checks 20 requests a second by a regular expression, on one thread; when /tmp/go exists by one that backtracks, for 0.2 s each."""
import os
import re
import time

import pace

old, new = re.compile("[a-z]*=[a-z]*$"), re.compile(".*(?:.*=.*)")
size, took = 100, 0.0
while took < 0.2:
    size = size * 5 // 4
    text = "x" * size
    began = time.process_time()
    new.search(text)
    took = time.process_time() - began


def check():
    if os.path.exists("/tmp/go"):
        new.search(text)
    else:
        old.search("name=value")


pace.serve(check)
