"""A scheduler that allows jobs of the same kind to overlap: starts one of 24 MB each second, none of which ends, as all wait for a lock; stops when little cache is
left."""
import os
import time

import room

with open("/proc/self/comm", "w") as name:
    name.write("reportjob")
while True:
    time.sleep(1)
    if room.files() > 45 and os.fork() == 0:
        held = []
        for _ in range(24):
            if room.files() > 45:
                held.append(bytearray(b"j") * (1 << 20))
        time.sleep(10000)
