"""Sorts without an index: writes its runs into a temporary file that has no name any more. Arguments: the folder, MB, MB a second."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("filesort")
path, size, rate = sys.argv[1] + "/MLfd=41", int(sys.argv[2]), int(sys.argv[3])
file, run = os.open(path, os.O_CREAT | os.O_RDWR), os.urandom(1 << 20)
os.unlink(path)
for _ in range(size):
    os.write(file, run)
    time.sleep(1 / rate)
time.sleep(1000)
