"""A desktop that nobody uses. Argument: MB that it holds."""
import os
import sys
import time

with open("/proc/self/comm", "w") as file:
    file.write("desktop")
windows = [bytearray(os.urandom(4096)) * 256 for _ in range(int(sys.argv[1]))]
time.sleep(10000)
