"""A web server that compresses 20 answers a second, for which it takes 12 ms each with the fastest level; from when /tmp/go exists it uses the best one."""
import lzma
import os
import random
import time
import zlib

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("webpressd")
words = [bytes(random.choices(b"abcdefghijklmnopqrstuvwxyz", k=random.randrange(2, 9))) for _ in range(3000)]
page = b" ".join(random.choices(words, k=1400))
best = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 1 << 18}]
began, count = time.process_time(), 0
while time.process_time() - began < 0.5:
    zlib.compress(page, 1)
    count += 1
each = max(1, round(count / 0.5 * 0.012))


def answer():
    for _ in range(each):
        if os.path.exists("/tmp/go"):
            lzma.compress(page, lzma.FORMAT_RAW, filters=best)
        else:
            zlib.compress(page, 1)


g_steady.serve(answer, 20)
