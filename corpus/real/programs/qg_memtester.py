"""Tests MB of memory: locks them, and writes and compares patterns in them without end. Argument: the MB."""
import ctypes
import mmap
import sys

with open("/proc/self/comm", "w") as name:
    name.write("memtester")
size = int(sys.argv[1]) << 20
tested = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
ctypes.CDLL(None).mlock(ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(tested))), ctypes.c_size_t(size))
while True:
    for value in (b"\x00", b"\xff", b"\x55", b"\xaa"):
        pattern = value * (1 << 20)
        for at in range(0, size, 1 << 20):
            tested[at : at + (1 << 20)] = pattern
        for at in range(0, size, 1 << 20):
            if tested[at : at + (1 << 20)] != pattern:
                print("FAILURE", at, flush=True)
