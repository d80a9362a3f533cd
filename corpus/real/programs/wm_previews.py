"""Generates the previews of a photo library: decodes pictures into memory at MB a second until it has MB of them, and goes on to scale them. Arguments:
the MB, MB a second."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("occ")
pictures = []
while True:
    if len(pictures) < int(sys.argv[1]):
        pictures.append(bytearray(b"p") * (1 << 20))
        time.sleep(1 / float(sys.argv[2]))
    else:
        for picture in pictures:
            picture[::4096] = b"q" * 256
        time.sleep(0.3)
