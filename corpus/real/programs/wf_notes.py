"""Collects annotations in steps of 1 MB and looks again at random ones. Arguments: MB per second, MB at most, looks per second."""
import os
import random
import sys
import time

rate, most, looks = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
with open("/proc/self/comm", "w") as comm:
    comm.write("annotator")
notes = []
due = time.time()
while True:
    if len(notes) < most:
        notes.append(bytearray(os.urandom(4096)) * 256)
    for _ in range(looks // rate):
        notes[random.randrange(len(notes))][random.randrange(1048576)] = 1
    due = max(due + 1 / rate, time.time() - 1)
    time.sleep(max(0.0, due - time.time()))
