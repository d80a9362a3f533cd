"""A virtual machine's memory for a passed-through device: maps and locks MB, 20 MB a second. Argument: MB."""
import ctypes
import mmap
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("vfiopin")
libc, held = ctypes.CDLL(None), []
for _ in range(int(sys.argv[1])):
    part = mmap.mmap(-1, 1 << 20)
    at = ctypes.addressof(ctypes.c_char.from_buffer(part))
    libc.mlock(ctypes.c_void_p(at), ctypes.c_size_t(1 << 20))
    held.append(part)
    time.sleep(0.05)
time.sleep(10000)
