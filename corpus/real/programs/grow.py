"""Takes MiB of memory at MiB/s, then touches all of it again and again. Arguments: MiB (or inf), MiB/s, seconds between two rounds (0.2)."""
import sys
import time

size, rate, pause = (float(value) for value in [*sys.argv[1:], "0.2"][:3])
held = []
while len(held) < size:
    held.append(bytearray(b"x") * 1048576)
    time.sleep(1 / rate)
while True:
    for block in held:
        block[::4096] = b"y" * 256
    time.sleep(pause)
