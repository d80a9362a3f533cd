"""Works off what queued in an outage: appends events of a queue to files of 40 MB, at MB/s, of MB in all, and syncs nothing. Arguments: MB/s, MB."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("drainer")
rate, total = (float(value) for value in sys.argv[1:])
events, began, done, file = os.urandom(1 << 17), time.time(), 0.0, None
while done < total:
    if done % 40 == 0:
        file = open(f"/data/events{int(done / 40)}", "wb", 0)
    file.write(events)
    done += 0.125
    time.sleep(max(0, began + done / rate - time.time()))
time.sleep(10000)
