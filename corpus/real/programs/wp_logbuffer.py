"""A daemon of containers with a log driver in the mode non-blocking: from when /tmp/go exists the receiver of the logs is away, and the buffers of its
containers fill, 20 MB a second in all, up to MB or until little cache is left. Argument: the MB."""
import os
import sys
import time

import room

with open("/proc/self/comm", "w") as name:
    name.write("dockerd")
buffers = []
while True:
    if os.path.exists("/tmp/go") and len(buffers) < int(sys.argv[1]) and room.files() > 50:
        buffers.append(bytearray(b"l") * (1 << 20))
    time.sleep(0.05)
