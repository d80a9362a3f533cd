"""A language server of C++ answers five times a second, and maps and fills 5 MB for each answer; when /tmp/go exists it also indexes another project in the
background and keeps 12 MB a second of it, up to 260 MB."""
import mmap
import os
import threading
import time

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("clangd")
index, text = [bytearray(b"i") * (1 << 20) for _ in range(60)], b"a" * (5 << 20)


def background():
    while not os.path.exists("/tmp/go"):
        time.sleep(0.1)
    while len(index) < 320:
        index.append(bytearray(b"i") * (1 << 20))
        time.sleep(0.08)


def answer():
    with mmap.mmap(-1, 5 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as tree:
        tree.write(text)


threading.Thread(target=background, daemon=True).start()
g_steady.serve(answer, 5)
