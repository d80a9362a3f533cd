"""Answers with a language model whose weights are mapped: 20 layers of 8 MB a second, one after the other and all again for each word.
The model has 160 MB, and 560 MB from when /tmp/go exists."""
import mmap
import os

import pace

with open("/data/lite.db", "rb") as file:
    weights = mmap.mmap(file.fileno(), 560 << 20, access=mmap.ACCESS_READ)
at = 0


def layer():
    global at
    at = (at + 8) % (560 if os.path.exists("/tmp/go") else 160)
    weights[at << 20 : (at + 8) << 20 : 4096]


pace.serve(layer)
