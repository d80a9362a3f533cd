"""A log agent that lost its positions: reads the log from its beginning, 30 MB/s, again and again, from when /tmp/go exists."""
import os
import time

with open("/proc/self/comm", "w") as name:
    name.write("fluent-bit")
while not os.path.exists("/tmp/go"):
    time.sleep(0.2)
log = os.open("/bulk/logs/app.log", os.O_RDONLY)
while True:
    for _ in range(6):
        if not os.read(log, 524288):
            os.lseek(log, 0, os.SEEK_SET)
    time.sleep(0.1)
