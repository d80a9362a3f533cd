"""Sends 4 KB messages to a System V queue that nobody empties, 14 MB/s, until so many MiB of files are cached. Argument: the MiB."""
import ctypes
import sys
import time

import room

open("/proc/self/comm", "w").write("dispatchd")
libc = ctypes.CDLL(None, use_errno=True)
queue = libc.msgget(4711, 0o1600)
message = ctypes.create_string_buffer(ctypes.sizeof(ctypes.c_long) + 4000)
message[0] = 1
while room.files() > int(sys.argv[1]):
    for _ in range(175):
        libc.msgsnd(queue, message, ctypes.c_size_t(4000), 0)
    time.sleep(0.05)
time.sleep(10000)
