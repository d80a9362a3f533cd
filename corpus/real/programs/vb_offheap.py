"""An executor with memory outside its heap: it takes MB at MB per second, and goes through all of it for each batch, again and again. Arguments: MB, MB per second."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("sparkexec")
size, rate = int(sys.argv[1]), float(sys.argv[2])
blocks = []
for _ in range(size):
    blocks.append(bytearray(b"o") * (1 << 20))
    time.sleep(1 / rate)
while True:
    for block in blocks:
        block[::4096] = b"p" * 256
    time.sleep(0.3)
