"""A program in a container that prints, at first a short line each second; once /tmp/go exists a bar of progress of so many MB/s, in which no line ever ends. It
pauses when little cache is left. Argument: the MB/s."""
import os
import sys
import time

import room

rate, bar = float(sys.argv[1]), b"=" * 65535 + b"\r"
while not os.path.exists("/tmp/go"):
    os.write(1, b"ready\n")
    time.sleep(1)
while True:
    if room.files() > 40:
        for _ in range(4):
            os.write(1, bar)
    time.sleep(0.25 / rate)
