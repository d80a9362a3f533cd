"""A mail daemon leaves an empty marker file for each undeliverable address, 500 a second, and removes none; when none can be made it tries again. Argument: the folder."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("bounced")
os.makedirs(sys.argv[1], exist_ok=True)
count = 0
while True:
    try:
        for _ in range(10):
            os.close(os.open(f"{sys.argv[1]}/{count}", os.O_CREAT | os.O_WRONLY))
            count += 1
    except OSError:
        pass
    time.sleep(0.02)
