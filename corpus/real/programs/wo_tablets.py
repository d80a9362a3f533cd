"""A tablet server: 40 writes a second, each to the log of its tablet, which is synced once a second at most, by the write that finds it due. From 4 tablets
it goes to 80 when /tmp/go exists (automatic splits). Argument: the folder."""
import os
import random
import sys
import time

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("tserver")
os.makedirs(sys.argv[1], exist_ok=True)
logs, record = [], b"t" * 700


def split(count):
    while len(logs) < count:
        logs.append([os.open(f"{sys.argv[1]}/wal-{len(logs)}", os.O_CREAT | os.O_WRONLY | os.O_APPEND), time.time()])


def write():
    if os.path.exists("/tmp/go"):
        split(80)
    log = random.choice(logs)
    os.write(log[0], record)
    if time.time() - log[1] > 1:
        os.fsync(log[0])
        log[1] = time.time()


split(4)
g_steady.serve(write, 40)
