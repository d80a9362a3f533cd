"""A search server for logs has mapped 50 000 pieces of its segments. From when /tmp/go exists it forks a worker every 0.2 s, and each worker
has its own copy of the list of maps in the kernel; until little cache is left."""
import ctypes
import os
import signal
import time

import room

with open("/proc/self/comm", "w") as comm:
    comm.write("searchd")
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
# No access, private and anonymous; every other page may then be read, which makes it a map of its own.
start = libc.mmap(None, 50000 * 4096, 0, 0x22, -1, 0)
for page in range(0, 50000, 2):
    libc.mprotect(start + page * 4096, 4096, 1)
print("mapped", flush=True)
while not os.path.exists("/tmp/go"):
    time.sleep(0.2)
while room.files() > 70:
    if os.fork() == 0:
        signal.pause()
    time.sleep(0.2)
time.sleep(1000)
