"""A portal whose pages ask for five fragments at once, four times a second; each fragment takes some ms of a CPU when nobody else computes.
Argument: the ms."""
import re
import sys
import time

import pace

with open("/proc/self/comm", "w") as name:
    name.write("portald")
text, pattern = "name=value; id=42; " * 10, re.compile(r"(\w+)=(\w+)")
began, count = time.process_time(), 0
while time.process_time() - began < 0.5:
    pattern.sub(r"\2=\1", text)
    count += 1
each = max(1, round(count / 500 * float(sys.argv[1])))


def fragment():
    for _ in range(each):
        pattern.sub(r"\2=\1", text)


pace.serve(fragment, batch=5, interval=0.25)
