"""A cleaner of memory: every four seconds it pages out all of the heap in /tmp/heap, which is another program's (process_madvise, MADV_PAGEOUT)."""
import ctypes
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("ramcleaner")
process, address, size = (int(word) for word in open("/tmp/heap").read().split())
libc = ctypes.CDLL(None, use_errno=True)
target = libc.syscall(434, process, 0)


class Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]


while True:
    for at in range(0, size, 4 << 20):
        part = Part(address + at, min(4 << 20, size - at))
        libc.syscall(440, target, ctypes.byref(part), ctypes.c_ulong(1), 21, ctypes.c_ulong(0))
    time.sleep(4)
