"""An autoscaler starts a pod of 28 MB each 0.7 s, none of which ends, until little cache is left."""
import os
import time

import room

with open("/proc/self/comm", "w") as name:
    name.write("worker")
while True:
    if room.files() > 45 and os.fork() == 0:
        heap = bytearray(b"w") * (28 << 20)
        time.sleep(1000)
    time.sleep(0.7)
