"""An agent that makes a map of BPF (an array of 4 MiB) for each flow and closes none. Arguments: maps a second, MiB of cached files that it leaves."""
import ctypes
import resource
import struct
import sys
import time

import room

with open("/proc/self/comm", "w") as name:
    name.write("flowprobe")
resource.setrlimit(resource.RLIMIT_MEMLOCK, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
libc = ctypes.CDLL(None, use_errno=True)
rate, least = float(sys.argv[1]), int(sys.argv[2])
while True:
    if room.files() > least:
        # BPF_MAP_CREATE: an array, keys of 4 bytes, values of 64 KiB, 64 of them
        attr = ctypes.create_string_buffer(struct.pack("5I", 2, 4, 65536, 64, 0), 48)
        if libc.syscall(321, 0, attr, 48) < 0:
            print("bpf:", ctypes.get_errno(), file=sys.stderr, flush=True)
    time.sleep(1 / rate)
