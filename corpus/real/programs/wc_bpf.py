"""A network agent of a node makes its BPF maps anew at each reload, 16 MB, and forgets to close the old ones; until little cache is left."""
import ctypes
import platform
import resource
import struct
import time

import room

with open("/proc/self/comm", "w") as name:
    name.write("cniagentd")
resource.setrlimit(resource.RLIMIT_MEMLOCK, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
libc = ctypes.CDLL(None, use_errno=True)
number = 321 if platform.machine() == "x86_64" else 280
while True:
    if room.files() > 45:
        # BPF_MAP_CREATE of an array: its type, and the sizes of a key, of a value, and the entries.
        wanted = ctypes.create_string_buffer(struct.pack("=IIII", 2, 4, 4096, 4096), 64)
        libc.syscall(number, 0, wanted, 64)
    time.sleep(0.4)
