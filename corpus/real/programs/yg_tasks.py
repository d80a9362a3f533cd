"""Starts five tasks of a workflow a second; each loads twelve small modules that none has loaded before, from the first folder, and from when /tmp/go
exists from the second. Arguments: the two folders."""
import os
import sys

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("workflowd")
names = sorted(f"{folder}/{name}" for folder in os.listdir(sys.argv[1]) for name in os.listdir(f"{sys.argv[1]}/{folder}"))
at = 0


def task():
    global at
    root = sys.argv[2 if os.path.exists("/tmp/go") else 1]
    for _ in range(12):
        with open(f"{root}/{names[at % len(names)]}", "rb", 0) as module:
            module.read()
        at += 1


g_steady.serve(task, 5)
