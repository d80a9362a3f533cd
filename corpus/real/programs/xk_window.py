"""Answers 15 queries a second, each of six blocks at random among a window of 60 MB of a table, which was read before. From when /tmp/go exists
the window moves on by 2 MB a second over the table, and what comes next is asked for two seconds before it is needed (POSIX_FADV_WILLNEED)."""
import os
import random
import threading
import time

import h_hot
import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("windowd")
table, first = h_hot.Hot("/data/lite.db", 64), 0


def move():
    global first
    while not os.path.exists("/tmp/go"):
        time.sleep(0.1)
    # 450 MB are enough for longer than any recording.
    for step in range(450 * 2):
        os.posix_fadvise(table.file, (64 << 20) + (step << 19), 1 << 19, os.POSIX_FADV_WILLNEED)
        first = step * 128
        time.sleep(0.25)


def query():
    for _ in range(6):
        os.pread(table.file, 4096, (first + random.randrange(60 * 256)) * 4096)


threading.Thread(target=move, daemon=True).start()
vd_desk.serve(query, 15, 2)
