"""An agent that watches the integrity of files: reads each of a tree and computes its digest, and rests after every 20."""
import hashlib
import os
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("ossec-syscheck")
count = 0
while True:
    for folder, _, names in os.walk("/bulk/tree"):
        for name in names:
            with open(f"{folder}/{name}", "rb") as file:
                hashlib.sha1(file.read()).digest()
            count += 1
            if count % 20 == 0:
                time.sleep(0.02)
