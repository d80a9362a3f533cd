"""Looks for files that do not exist, each of another name, so that the kernel remembers their absence. Arguments: folder, names between two pauses of
10 ms. Prints nothing."""
import os
import sys
import time

import qs_query

qs_query.name("elasticsearch")
os.makedirs(sys.argv[1], exist_ok=True)
number = 0
while True:
    for _ in range(int(sys.argv[2])):
        os.access(f"{sys.argv[1]}/_{number:x}.si", os.F_OK)
        number += 1
    time.sleep(0.01)
