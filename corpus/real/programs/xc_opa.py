"""A policy agent beside a service: holds a bundle of 20 MB; from when /tmp/go exists it loads the next one, 72 MB, and uses it."""
import os
import random
import time

with open("/proc/self/comm", "w") as name:
    name.write("opa")
bundle = [bytearray(b"p") * (1 << 20) for _ in range(20)]
while True:
    if len(bundle) < 92 and os.path.exists("/tmp/go"):
        bundle.append(bytearray(b"p") * (1 << 20))
    for part in random.sample(bundle, 10):
        part[::4096] = b"q" * 256
    time.sleep(0.07)
