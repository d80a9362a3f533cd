"""Serves from a heap: ten requests a second, each looks at 40 of its pages at random. Once /tmp/trim exists a thread gives the heap back to the kernel every three
seconds, with MADV_PAGEOUT. Argument: the MB."""
import ctypes
import mmap
import os
import random
import sys
import threading
import time

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("heapd")
size = int(sys.argv[1]) << 20
held = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
start = ctypes.addressof(ctypes.c_char.from_buffer(held))
pageout = ctypes.CDLL(None, use_errno=True).madvise
for at in range(0, size, 4096):
    held[at : at + 32] = random.randbytes(32)


def trim():
    while True:
        time.sleep(3)
        if os.path.exists("/tmp/trim"):
            pageout(ctypes.c_void_p(start), ctypes.c_size_t(size), 21)


def request():
    for _ in range(40):
        held[random.randrange(size >> 12) << 12]


threading.Thread(target=trim, daemon=True).start()
g_steady.serve(request, 10)
