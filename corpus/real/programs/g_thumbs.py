"""Serves ten thumbnails a second, each computed in 30 to 50 ms of a CPU."""
import time
import zlib

import g_steady

data, size, took = bytes(range(256)) * 4000, 2000, 0.0
while took < 0.03:
    size = size * 5 // 4
    began = time.process_time()
    zlib.compress(data[: size % len(data)] * (1 + size // len(data)), 6)
    took = time.process_time() - began
work = data[: size % len(data)] * (1 + size // len(data))
g_steady.serve(lambda: zlib.compress(work, 6), 10)
