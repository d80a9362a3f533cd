"""Makes a preview of a large photograph: takes 120 MB for its pixels, 12 MB a second, and works on them. """
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("imagick")
pixels = []
while len(pixels) < 120:
    pixels.append(bytearray(b"x") * 1048576)
    time.sleep(1 / 12)
while True:
    for row in pixels:
        row[::4096] = b"y" * 256
        time.sleep(0.01)
