"""A job reads files once, from the first to the last, 1 MB at a time. Arguments: MB/s, the files."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("stream_job")
for path in sys.argv[2:]:
    file = os.open(path, os.O_RDONLY)
    while os.read(file, 1 << 20):
        time.sleep(1 / float(sys.argv[1]))
    os.close(file)
