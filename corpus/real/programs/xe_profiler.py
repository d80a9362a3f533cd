"""A profiling agent opens events of the kernel (perf_event_open) and maps a ring of 16 MB for each, one after the other. Argument: the rings."""
import ctypes
import mmap
import os
import struct
import sys
import time

libc = ctypes.CDLL(None, use_errno=True)
rings = []
for number in range(int(sys.argv[1])):
    # struct perf_event_attr: PERF_TYPE_SOFTWARE, its size, PERF_COUNT_SW_DUMMY
    attr = ctypes.create_string_buffer(struct.pack("IIQ", 1, 112, 9), 112)
    event = libc.syscall(298, attr, -1, number % os.cpu_count(), -1, 0)
    if event < 0:
        sys.exit(os.strerror(ctypes.get_errno()))
    rings.append(mmap.mmap(event, (16 << 20) + 4096))
    time.sleep(0.7)
time.sleep(10000)
