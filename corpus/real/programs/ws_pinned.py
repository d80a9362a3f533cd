"""A data loader that pins its buffers: locks 10 MB a second up to MB in memory, and fills batches into them in turn. Argument: the MB."""
import ctypes
import mmap
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("pin-memory")
libc, buffers, batch = ctypes.CDLL(None), [], b"b" * (1 << 20)
while True:
    if len(buffers) < int(sys.argv[1]):
        buffers.append(mmap.mmap(-1, 1 << 20))
        place = ctypes.addressof(ctypes.c_char.from_buffer(buffers[-1]))
        libc.mlock(ctypes.c_void_p(place), ctypes.c_size_t(1 << 20))
    buffers.append(buffers.pop(0))
    buffers[0][:] = batch
    time.sleep(0.1)
