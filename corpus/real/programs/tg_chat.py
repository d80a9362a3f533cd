"""Keeps the history of a chat: writes each message over a block of a file and waits until the disk has it. Arguments: the file, messages a
second. Prints each second the clock, the messages kept, and the ms of one."""
import os
import random
import sys

import tg_share

with open("/proc/self/comm", "w") as comm:
    comm.write("pidgin")
file = os.open(sys.argv[1], os.O_CREAT | os.O_RDWR)
os.write(file, b"\0" * 4194304)
os.fsync(file)


def message():
    os.pwrite(file, b"m" * 4096, random.randrange(1024) * 4096)
    os.fdatasync(file)


tg_share.serve(message, float(sys.argv[2]))
