"""A student's solution builds all pairs as a list of rows. Argument: MB at which it would end."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("submission")
pairs = []
while len(pairs) < int(sys.argv[1]):
    pairs.append(bytearray(b"p") * 1048576)
    time.sleep(0.02)
time.sleep(1000)
