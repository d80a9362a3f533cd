"""A monitor that evaluates its rules ten times a second: each evaluation reads the next 2 MB of its samples, and it begins anew at the end of the window.
From when the file GO exists, the window is longer. Arguments: the file of samples, MB of the window before and after GO, GO. Prints in each second clock,
evaluations and ms of each."""
import os
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("vmalert")
samples, before, after, go = os.open(sys.argv[1], os.O_RDONLY), int(sys.argv[2]) << 20, int(sys.argv[3]) << 20, sys.argv[4]
at = 0


def evaluate():
    global at
    end = after if os.path.exists(go) else before
    for _ in range(16):
        if at >= end:
            at = 0
        os.pread(samples, 131072, at)
        at += 131072


for first in range(0, before, 131072):
    os.pread(samples, 131072, first)
g_steady.serve(evaluate, 10)
