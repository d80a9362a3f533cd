"""A broker of sensors with tables of 35 MB: 15 messages a second, each looks at some sessions; from when /tmp/go exists each is also copied to the queues of
subscribers who are away, 256 KB in all, and kept there."""
import os
import random

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("mosquitto")
sessions, queued = [bytearray(b"s") * (1 << 20) for _ in range(35)], []


def publish():
    for _ in range(10):
        sessions[random.randrange(35)][random.randrange(256) << 12] = 1
    if os.path.exists("/tmp/go"):
        queued.append(bytearray(b"q") * (1 << 18))


g_steady.serve(publish, 15)
