"""A test bench: twice a second it saves a burst of 1.5 MB in a ring file of 60 MB, and syncs nothing."""
import os

import g_steady

file, burst, at = os.open("/data/bench", os.O_CREAT | os.O_WRONLY), os.urandom(3 << 19), 0


def save():
    global at
    os.pwrite(file, burst, at % 40 * len(burst))
    at += 1


g_steady.serve(save, 2)
