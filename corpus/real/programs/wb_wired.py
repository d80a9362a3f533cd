"""A document store: each of 20 requests a second brings 256 KB into its own cache, which keeps 70 MB; from when /tmp/go exists it evicts nothing."""
import collections
import os

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("documentd")
cache = collections.deque()


def request():
    cache.append(bytearray(b"d") * 262144)
    if len(cache) > 280 and not os.path.exists("/tmp/go"):
        cache.popleft()


for _ in range(280):
    request()
g_steady.serve(request, 20)
