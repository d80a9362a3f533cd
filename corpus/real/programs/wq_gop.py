"""A relay of live streams keeps the last pictures of each stream in memory for players who join (its GOP cache): 48 streams begin within twelve seconds, MB
each, and are rewritten in place from then on. Argument: MB of a stream."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("rtmprelay")
streams, size = [], int(sys.argv[1])
part = os.urandom(65536)
for _ in range(48):
    streams.append(bytearray(part * (size * 16)))
    time.sleep(0.25)
while True:
    for stream in streams:
        stream[: len(part)] = part
        time.sleep(0.02)
