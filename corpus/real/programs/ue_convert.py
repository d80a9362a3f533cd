"""Converts a picture: takes MB of memory, 20 MB a second, and works on them for seconds. Arguments: MB, seconds."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("convert")
size, until, picture = int(sys.argv[1]), time.time() + float(sys.argv[2]), []
while time.time() < until:
    if len(picture) < size:
        picture.append(bytearray(b"x") * (1 << 20))
    for part in picture[::8]:
        part[::4096] = b"y" * 256
    time.sleep(0.05)
