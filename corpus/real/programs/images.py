"""Copies an image of a virtual machine around the page cache, 40 times 128 KB a second: at once, and in blocks of 4 KB when /tmp/go exists."""
import mmap
import os

import pace

image, at = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), 0
buffer = memoryview(mmap.mmap(-1, 131072))


def copy():
    global at
    block = 4096 if os.path.exists("/tmp/go") else 131072
    for _ in range(131072 // block):
        os.preadv(image, [buffer[:block]], at)
        at = (at + block) % (500 << 20)


pace.serve(copy, interval=0.025)
