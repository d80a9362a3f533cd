"""A collector appends 20 batches a second to a topic on disk, without a sync: 60 KB each, and 700 KB from when /tmp/go exists. The topic begins anew after
600 MB. Argument: the topic."""
import os
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("collectord")
topic, at, event = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY), 0, os.urandom(700 << 10)


def append():
    global at
    size = 700 << 10 if os.path.exists("/tmp/go") else 60 << 10
    at += os.pwrite(topic, event[:size], at % (600 << 20))


g_steady.serve(append, 20)
