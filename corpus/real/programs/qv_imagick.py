"""Opens an animated picture: the pixels of all its frames are unpacked into MB of memory at 25 MB/s, and then gone through frame by frame, at leisure.
Argument: MB."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("php-fpm")
frames = []
for number in range(int(sys.argv[1])):
    frames.append(bytearray(b"p") * 1048576)
    time.sleep(0.04)
while True:
    for frame in frames:
        frame[::4096] = b"q" * 256
        time.sleep(0.005)
