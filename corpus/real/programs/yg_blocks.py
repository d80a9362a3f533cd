"""Keeps the state of an experiment: 500 times a second one of 4096 blocks of a file is written over, at random, and nothing is synced."""
import os
import random

import pace

with open("/proc/self/comm", "w") as comm:
    comm.write("statekeeper")
state, block = os.open("/data/state", os.O_CREAT | os.O_RDWR), os.urandom(4096)
for _ in range(16):
    os.write(state, os.urandom(1 << 20))
os.fsync(state)
pace.serve(lambda: os.pwrite(state, block, random.randrange(4096) * 4096), batch=25, interval=0.05)
