"""A proxy beside a pod gets a new configuration every six seconds from when /tmp/go exists: it takes 25 MB for the new one beside the old, uses it for
two seconds to compare both, and frees it."""
import os
import time

with open("/proc/self/comm", "w") as name:
    name.write("envoy")
while not os.path.exists("/tmp/go"):
    time.sleep(0.2)
while True:
    fresh = [bytearray(b"x") * (1 << 20) for _ in range(25)]
    time.sleep(2)
    del fresh
    time.sleep(4)
