"""A simulation of molecules appends a frame of 200 KB to its trajectory ten times a second, in a file of 60 MB that it writes over and over; it
syncs nothing."""
import os

import pace

file, at, frame = os.open("/data/traj.xtc", os.O_CREAT | os.O_WRONLY), 0, os.urandom(200000)


def step():
    global at
    os.pwrite(file, frame, at % 300 * 200000)
    at += 1


pace.serve(step, interval=0.1)
