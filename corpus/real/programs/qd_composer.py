"""Resolves the dependencies of a PHP project: takes 10 MB a second, up to 400 MB, and then ends."""
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("composer")
rules = []
while len(rules) < 400:
    rules.append(bytearray(b"r") * (1 << 20))
    time.sleep(0.09)
