"""A store of sorted tables: 20 batches a second, of 128 KB, go to its log, which it does not sync; from when /tmp/go exists four threads of it write
tables for a compaction, as fast as they can."""
import os
import threading
import time

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("sstored")
log, batch, at = os.open("/data/sstlog", os.O_CREAT | os.O_WRONLY), os.urandom(131072), 0


def compact(level):
    while not os.path.exists("/tmp/go"):
        time.sleep(0.5)
    table, piece = os.open(f"/data/level{level}.sst", os.O_CREAT | os.O_WRONLY), os.urandom(2 << 20)
    while True:
        for part in range(60):
            os.pwrite(table, piece, part * len(piece))


def put():
    global at
    os.pwrite(log, batch, at % 512 * len(batch))
    at += 1


for level in range(4):
    threading.Thread(target=compact, args=(level,), daemon=True).start()
g_steady.serve(put, 20)
