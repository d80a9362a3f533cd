"""Takes memory for what it gathers, and goes over it again and again. Arguments: the program's name, MiB, MiB/s, seconds between two rounds."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write(sys.argv[1])
size, rate, pause = (float(value) for value in sys.argv[2:])
held, began = [], time.time()
while len(held) < size:
    held.append(bytearray(b"f") * 1048576)
    time.sleep(max(0, began + len(held) / rate - time.time()))
while True:
    for block in held:
        block[::4096] = b"g" * 256
    time.sleep(pause)
