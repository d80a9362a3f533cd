"""Takes MiB of memory at MiB/s, then goes over all of it, and rests so many seconds, over and over. Arguments: the program's name, MiB, MiB/s,
the rest."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write(sys.argv[1])
size, rate, rest = (float(value) for value in sys.argv[2:])
held = []
while len(held) < size:
    held.append(bytearray(b"t") * (1 << 20))
    time.sleep(1 / rate)
while True:
    for block in held:
        block[::4096] = b"u" * 256
    time.sleep(rest)
