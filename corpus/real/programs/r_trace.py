"""Makes the ring buffer of the kernel's tracer larger, 6 MB for each CPU at a time, until so many MiB of files are cached or it has so many MB for a
CPU. Arguments: MiB of files, MB."""
import sys
import time

import room

with open("/proc/self/comm", "w") as name:
    name.write("trace-cmd")
least, most, size = int(sys.argv[1]), int(sys.argv[2]), 0
while size < most and room.files() > least:
    size += 6
    try:
        with open("/sys/kernel/tracing/buffer_size_kb", "w") as file:
            file.write(str(size * 1024))
    except OSError:
        break
    time.sleep(0.25)
time.sleep(10000)
