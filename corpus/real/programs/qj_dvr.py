"""A media server that records television: thirty times a second it appends 48 KB to the recording, without a sync. Prints clock, pieces and ms of each, once
a second."""
import os

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("jellyfin")
recording = os.open("/data/recording.ts", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
g_steady.serve(lambda: os.write(recording, b"v" * 49152), 30)
