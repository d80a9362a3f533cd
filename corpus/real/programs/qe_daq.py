"""Stores the events of a detector: ten blocks of 120 KB a second into a file of 40 MB that it writes over and over, and syncs nothing."""
import os

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("eventbuilder")
run, at, block = os.open("/data/run.raw", os.O_CREAT | os.O_WRONLY), 0, os.urandom(120 << 10)


def store():
    global at
    os.pwrite(run, block, at % 340 * (120 << 10))
    at += 1


g_steady.serve(store, 10)
