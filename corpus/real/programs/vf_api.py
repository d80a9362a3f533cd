"""Renders answers of an API as JSON; requests arrive at random, and one thread serves them. Arguments: name,
requests a second, ms of CPU of each, and `steady` if they arrive evenly."""
import json
import sys
import time

import g_steady
import quokka_tally

with open("/proc/self/comm", "w") as comm:
    comm.write(sys.argv[1])
row = {"id": 7, "title": "blue chair", "tags": ["home", "wood"], "price": 49.5}
began, count = time.process_time(), 0
while time.process_time() - began < 0.5:
    json.dumps(row)
    count += 1
each = max(1, int(count / 0.5 * float(sys.argv[3]) / 1000))


def request():
    for _ in range(each):
        json.dumps(row)


if "steady" in sys.argv:
    g_steady.serve(request, float(sys.argv[2]))
quokka_tally.serve(request, float(sys.argv[2]), 1)
