"""A step of a job that sorts in memory: fills its buffer of so many MB at 40 MB/s, and then goes over it again and again. Prints nothing. Argument: the MB."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("sort")
buffer = []
for _ in range(int(sys.argv[1])):
    buffer.append(bytearray(b"\1") * (1 << 20))
    time.sleep(0.025)
while True:
    for part in buffer:
        part[::4096] = b"\2" * 256
        time.sleep(0.005)
