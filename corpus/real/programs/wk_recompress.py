"""A message broker takes 16 batches a second, and checks the sum of each. From when /tmp/go exists the topic asks for a codec of its own, and the broker compresses
each batch of 400 KB anew."""
import os
import zlib

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("kafka-broker")
with open("/bulk/logs/app.log", "rb") as log:
    batches = [log.read(400 << 10) for _ in range(8)]
at = 0


def produce():
    global at
    at += 1
    zlib.crc32(batches[at % 8][:65536])
    if os.path.exists("/tmp/go"):
        zlib.compress(batches[at % 8], 9)


g_steady.serve(produce, 16)
