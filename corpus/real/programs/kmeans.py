"""Trains the centers of an index: loads MiB of samples at MiB/s, and changes all of them in each round. Arguments: MiB, MiB/s."""
import sys
import time

open("/proc/self/comm", "w").write("kmeans")
size, rate = (int(value) for value in sys.argv[1:])
samples = []
while True:
    if len(samples) < size:
        samples.append(bytearray(b"s") * (1 << 20))
        time.sleep(1 / rate)
        continue
    for block in samples:
        block[::4096] = b"t" * 256
    time.sleep(0.1)
