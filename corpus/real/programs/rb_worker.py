"""Idle workers of a task queue with 30 MB of imported code and results each; every 10 s the first one takes a small task and looks at 2 MB of its memory.
Argument: the workers. Prints nothing."""
import os
import sys
import time

number = 0
while number < int(sys.argv[1]) - 1 and os.fork():
    number += 1
with open("/proc/self/comm", "w") as comm:
    comm.write("celery")
held = [os.urandom(1024) * 1024 for _ in range(30)]
while True:
    time.sleep(10)
    if number == 0:
        sum(sum(part[::4096]) for part in held[:2])
