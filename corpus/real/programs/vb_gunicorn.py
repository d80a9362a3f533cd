"""Serves 20 requests a second, each of which changes 40 pages of its objects: 45 MB, and from when /tmp/go exists a MB more each time, up to 150."""
import os
import random

import pace

with open("/proc/self/comm", "w") as name:
    name.write("gunicorn")
objects = [bytearray(b"o") * 524288 for _ in range(90)]


def request():
    if len(objects) < 300 and os.path.exists("/tmp/go"):
        for _ in range(2):
            objects.append(bytearray(b"o") * 524288)
    for _ in range(40):
        random.choice(objects)[random.randrange(128) * 4096] = random.randrange(256)


pace.serve(request)
