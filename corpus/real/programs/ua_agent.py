"""Takes MiB of memory at MiB/s under the name of another program, then touches all of it now and then. Arguments: the name, MiB (or inf), MiB/s, seconds
between two rounds (0: it leaves it alone). No output."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write(sys.argv[1])
size, rate, pause = (float(value) for value in sys.argv[2:5])
held = []
while len(held) < size:
    held.append(bytearray(b"x") * 1048576)
    time.sleep(1 / rate)
while True:
    time.sleep(pause or 10000)
    for block in held:
        block[::4096] = b"y" * 256
