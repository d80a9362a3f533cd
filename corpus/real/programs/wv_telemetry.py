"""An edge gateway. As `keep` it appends 20 batches of 64 KB of telemetry a second to a file, which it does not sync. As `spool` it stores what a camera sends
while the uplink is down, as fast as it comes, in files of 32 MB. Arguments: the mode, the file."""
import os
import sys
import time

import g_steady

mode, path = sys.argv[1:3]
with open("/proc/self/comm", "w") as name:
    name.write("telemetryd" if mode == "keep" else "camspool")
flags, piece = os.O_CREAT | os.O_WRONLY | os.O_APPEND, os.urandom(1 << 18)
if mode == "keep":
    file = os.open(path, flags)
    g_steady.serve(lambda: os.write(file, piece[:65536]), 20)
for number in range(10000):
    clip = os.open(f"{path}.{number}", flags)
    for _ in range(128):
        os.write(clip, piece)
        time.sleep(0.04)
    os.close(clip)
