"""A security agent: workers compute digests of programs that they have in memory. Arguments: the workers, ms of rest after each digest."""
import hashlib
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("edrd")
with open("/proc/self/exe", "rb") as program:
    data = program.read(1 << 20)
for _ in range(int(sys.argv[1]) - 1):
    if not os.fork():
        break
while True:
    hashlib.sha256(data).digest()
    time.sleep(float(sys.argv[2]) / 1000)
