"""An agent that keeps each span it ever saw, and never looks at one again. Arguments: MB/s, MiB of cached files that it leaves."""
import sys
import time

import room

with open("/proc/self/comm", "w") as name:
    name.write("otelcol")
rate, least, spans = float(sys.argv[1]), int(sys.argv[2]), []
while True:
    if room.files() > least:
        spans.append(bytearray(b"s") * (1 << 20))
        time.sleep(1 / rate)
    else:
        spans.append(bytearray(b"s") * (1 << 16))
        time.sleep(0.5)
