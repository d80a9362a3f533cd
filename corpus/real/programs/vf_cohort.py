"""An analytics job: loads MB of events at 30 MB/s, and passes over all of them again and again. Arguments: the MB, seconds between passes."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("cohortjob")
events = []
for _ in range(int(sys.argv[1])):
    events.append(bytearray(b"e") * (1 << 20))
    time.sleep(1 / 30)
while True:
    for block in events:
        block[::4096] = b"f" * 256
    time.sleep(float(sys.argv[2]))
