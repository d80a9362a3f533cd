"""A search service maps 100 segments of a page for each of ten requests a second, and unmaps them; from when /tmp/go exists it forgets that. A
request that gets no mapping tries again twice a second."""
import ctypes
import os
import time

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("segsearch")
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype, libc.mmap.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
segment = os.open("/tmp/segment", os.O_CREAT | os.O_RDWR)
os.write(segment, b"g" * 4096)
FAILED = ctypes.c_void_p(-1).value


def request():
    mapped = []
    while len(mapped) < 100:
        at = libc.mmap(None, 4096, 1, 1, segment, 0)
        if at == FAILED:
            time.sleep(0.5)
            continue
        mapped.append(at)
        ctypes.string_at(at, 16)
    if not os.path.exists("/tmp/go"):
        for at in mapped:
            libc.munmap(at, 4096)


g_steady.serve(request, 10)
