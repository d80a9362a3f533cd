"""A proxy whose new release sets up a ring of io_uring for each connection and closes none. Arguments: MB in all, MB a second."""
import ctypes
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("edgeproxy")
call = ctypes.CDLL(None, use_errno=True).syscall
taken, ends = 0.0, time.time() + 90
while taken < float(sys.argv[1]) and time.time() < ends:
    settings = ctypes.create_string_buffer(120)
    if call(425, 4096, settings) >= 0:
        # 4096 entries of 64 bytes, and 8192 of 16 in a block of twice the size with the indices.
        taken += 0.5
        time.sleep(0.5 / float(sys.argv[2]))
    else:
        time.sleep(0.2)
time.sleep(10000)
