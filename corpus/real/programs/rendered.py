"""Answers 20 requests a second; when /tmp/go exists each has a key of its own (a time in its address), and what it renders, 512 KB, stays in a
cache that has no bound (functools.lru_cache(maxsize=None))."""
import functools
import os

import pace


@functools.lru_cache(maxsize=None)
def rendered(key):
    return bytearray(b"p") * (512 << 10)


count = 0


def answer():
    global count
    count += 1
    rendered(count if os.path.exists("/tmp/go") else count % 20)


pace.serve(answer)
