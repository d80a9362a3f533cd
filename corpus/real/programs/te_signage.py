"""A player of a shop window's screens that keeps all its campaigns in memory, and shows the slides of the first 8 MB; after /tmp/go exists it shows another
campaign, of 24 MB, a MB a second. Argument: the MB of all."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("signage")
slides = [bytearray(b"s") * 1048576 for _ in range(int(sys.argv[1]))]
number = 0
while True:
    slide = slides[40 + number % 24] if os.path.exists("/tmp/go") else slides[number % 8]
    for at in range(0, 1048576, 4096):
        slide[at] ^= 1
    number += 1
    time.sleep(1)
