"""A recorder of ticks appends 25 batches of 64 KB a second to a file, and does not sync them."""
import os

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("tickstore")
file, batch = os.open("/data/ticks", os.O_CREAT | os.O_WRONLY | os.O_APPEND), os.urandom(1 << 16)
vd_desk.serve(lambda: os.write(file, batch), 25, 1)
