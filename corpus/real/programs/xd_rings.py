"""A security sensor opens a performance event for each task it meets, with a ring of 8 MB that it maps and never reads, and closes none, until MB are available. Argument: the MB."""
import ctypes
import mmap
import os
import struct
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("edrsensor")
# A software event that counts nothing (PERF_COUNT_SW_DUMMY).
event = struct.pack("IIQQQQQIIQ", 1, 64, 9, 0, 0, 0, 0, 0, 0, 0)
call, rings = ctypes.CDLL(None, use_errno=True).syscall, []
while True:
    available = int(next(line for line in open("/proc/meminfo") if line.startswith("MemAvailable")).split()[1])
    if available > int(sys.argv[1]) * 1024:
        ring = call(298, ctypes.create_string_buffer(event, 64), 0, -1, -1, 0)
        if ring < 0:
            raise OSError(ctypes.get_errno(), "perf_event_open")
        rings.append((ring, mmap.mmap(ring, 2049 * 4096)))
    time.sleep(0.2 if available > (int(sys.argv[1]) + 12) * 1024 else 1)
