"""Parses each line that comes out of a pipe, for 4 ms of a CPU."""
import time


def work(count):
    value = 1
    for n in range(count):
        value = value * 31 % 1000003


with open("/proc/self/comm", "w") as name:
    name.write("shipper")
began, count = time.process_time(), 0
while time.process_time() - began < 0.5:
    work(1000)
    count += 1000
for line in open("/tmp/log.pipe", "rb"):
    work(count // 125)
