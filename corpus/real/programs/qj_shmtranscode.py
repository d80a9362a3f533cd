"""ffmpeg transcodes into memory: writes a segment of 4 MB into a folder each 0.4 s and keeps the last 80 of them. Argument: the folder, on a tmpfs."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("ffmpeg")
os.makedirs(sys.argv[1], exist_ok=True)
number = 0
while True:
    with open(f"{sys.argv[1]}/{number}.ts", "wb", 0) as segment:
        segment.write(b"s" * (4 << 20))
    if number >= 80:
        os.remove(f"{sys.argv[1]}/{number - 80}.ts")
    number += 1
    time.sleep(0.4)
