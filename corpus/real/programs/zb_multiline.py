"""A log agent joins lines to one event by a regular expression that backtracks: as many workers as given match line after line."""
import os
import re
import sys

with open("/proc/self/comm", "w") as name:
    name.write("fluent-bit")
for _ in range(int(sys.argv[1]) - 1):
    if os.fork() == 0:
        break
rule, number = re.compile(r"^(\w+\s?)+:$"), 0
while True:
    number += 1
    rule.match(f"at org example {number} !")
