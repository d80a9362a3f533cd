"""A pool opens 60 connections, three a second, and each gets a process that waits for a query."""
import os
import time

with open("/proc/self/comm", "w") as name:
    name.write("idlebackend")
for _ in range(60):
    if os.fork() == 0:
        time.sleep(1000)
    time.sleep(0.33)
time.sleep(1000)
