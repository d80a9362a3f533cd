"""Payroll runs of a few seconds: each fills a table in memory and goes over it in no order. Arguments: MB, seconds of a run, pause, runs."""
import random
import sys
import time

size, run, pause, runs = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
with open("/proc/self/comm", "w") as comm:
    comm.write("payroll")
for _ in range(runs):
    until, table = time.time() + run, []
    while time.time() < until and len(table) < size:
        table.append(bytearray(b"p") * 1048576)
    while time.time() < until:
        for block in random.sample(table, 20):
            block[::4096] = b"q" * 256
    del table
    block = None
    time.sleep(pause)
