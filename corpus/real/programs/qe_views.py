"""Extracts features from windows of a recording: of each window of 512 KB it keeps 400 bytes, as a view into the window, which so stays in memory as a whole. It
takes MB a second, up to so many MB. Arguments: both."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("featurejob")
rate, most = float(sys.argv[1]), int(sys.argv[2])
kept, samples = [], bytes(range(256)) * 2048
while True:
    window = bytearray(samples)
    sum(window[:8000])
    if len(kept) < most * 2:
        kept.append(memoryview(window)[1000:1400])
    time.sleep(0.5 / rate)
