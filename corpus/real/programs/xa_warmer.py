"""Warms an index before it is used: reads MB of a file once, some MB a second. Arguments: the file, MB, MB a second."""
import os
import sys
import time

file = os.open(sys.argv[1], os.O_RDONLY)
for at in range(int(sys.argv[2]) * 4):
    os.pread(file, 1 << 18, at << 18)
    time.sleep(0.25 / float(sys.argv[3]))
