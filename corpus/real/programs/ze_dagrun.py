"""A run of a pipeline for one past day: aggregates the day's events in Python, which takes all of a CPU and little memory."""
import random

with open("/proc/self/comm", "w") as name:
    name.write("dagrun")
sums = {}
while True:
    key = random.randrange(1000)
    sums[key] = sums.get(key, 0) * 31 % 1000003 + 1
