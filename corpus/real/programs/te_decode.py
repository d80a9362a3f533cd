"""A worker of a gallery that makes previews: it decodes pictures into a buffer of MB, filled at 20 MB a second, and filters the buffer again and again.
Argument: the MB."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("previewgen")
buffer = []
for _ in range(int(sys.argv[1])):
    buffer.append(bytearray(b"r") * 1048576)
    time.sleep(0.05)
while True:
    for strip in buffer:
        for at in range(0, 1048576, 4096):
            strip[at] ^= 1
        time.sleep(0.01)
