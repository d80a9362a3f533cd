"""Writes segments of video into a folder, MB of 1 MB each at a rate, and then the oldest again. Arguments: the folder, the MB, MB a second."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("ffmpeg")
segment, number = bytes(range(256)) * 4096, 0
while True:
    with open(f"{sys.argv[1]}/segment{number % int(sys.argv[2])}", "r+b" if number >= int(sys.argv[2]) else "wb") as file:
        file.write(segment)
    number += 1
    time.sleep(1 / float(sys.argv[3]))
