"""A heap that grows to MB at MB/s; then, again and again, the program goes through all of it, with a pause (0: it leaves it alone). Prints nothing.
Arguments: its name, MB (or inf), MB/s, the pause in seconds."""
import sys
import time

comm, size, rate, pause = sys.argv[1:5]
with open("/proc/self/comm", "w") as name:
    name.write(comm)
held, pause = [], float(pause)
while len(held) < float(size):
    held.append(bytearray(b"h") * (1 << 20))
    time.sleep(1 / float(rate))
while True:
    for block in held if pause else ():
        block[::4096] = b"i" * 256
    time.sleep(pause or 10)
