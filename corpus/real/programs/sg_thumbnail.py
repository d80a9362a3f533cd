"""A thumbnailer reads the beginning of a broken video and then asks its decoder for a frame again and again, in four threads of its own (processes here),
without end. Argument: the video."""
import os
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("cosmic-player")
with open(sys.argv[1], "rb") as video:
    head = video.read(1 << 20)
for _ in range(3):
    if os.fork() == 0:
        break
frame = None
while frame is None:
    at = 0
    for at in range(1000):
        if head[at] == 256:
            frame = at
