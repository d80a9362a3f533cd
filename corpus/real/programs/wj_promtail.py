"""A shipper of logs that catches up: reads a file line by line, matches each with an expression, packs batches of lines, and forgets them. Argument: the file."""
import re
import sys
import zlib

with open("/proc/self/comm", "w") as name:
    name.write("promtail")
shape = re.compile(rb"^(\d+) (\w+) (\S+) ([0-9a-f]+)")
while True:
    with open(sys.argv[1], "rb") as log:
        batch, found = [], 0
        for line in log:
            found += bool(shape.match(line))
            batch.append(line)
            if len(batch) == 100:
                zlib.compress(b"".join(batch), 1)
                batch = []
