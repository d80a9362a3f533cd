"""Plays a clip backwards (the filter `reverse` of an encoder): it decodes all frames of the clip into memory before it puts out the last one, 24 MB a
second, until only so many MiB of files are cached, and then works on them for long. Argument: the MiB left."""
import sys
import time

import room

with open("/proc/self/comm", "w") as comm:
    comm.write("ffmpeg")
frames = []
while room.files() > int(sys.argv[1]):
    frames.extend(bytearray(b"y") * (1 << 20) for _ in range(12))
    time.sleep(0.5)
while True:
    for frame in frames:
        frame[0] = 1
    time.sleep(0.5)
