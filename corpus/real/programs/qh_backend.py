"""A backend of a pool that stays connected for days: each query that it compiles leaves the types of the compiler behind. Argument: MB a second."""
import sys
import time

open("/proc/self/comm", "w").write("postgres")
types = []
while len(types) < 840:
    types.append(bytearray(b"t") * 500000)
    time.sleep(0.5 / float(sys.argv[1]))
time.sleep(10000)
