"""A recorder of television: twelve times a second it writes 256 KB of the channels that it records, without syncing. Prints clock, pieces and ms of
each, once a second. Argument: folder."""
import os
import sys

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("tvheadend")
os.makedirs(sys.argv[1], exist_ok=True)
piece = os.urandom(262144)
recording = open(f"{sys.argv[1]}/channels.ts", "wb", buffering=0)
g_steady.serve(lambda: recording.write(piece), 12)
