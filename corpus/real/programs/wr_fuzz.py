"""A target of a fuzzer: parses inputs that are made up, and comes upon one that makes it allocate without end. Argument: MB a second."""
import random
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("fuzztarget")
held, pattern = [], random.randbytes(4096)
while True:
    held.append(bytearray(pattern * 256))
    time.sleep(1 / float(sys.argv[1]))
