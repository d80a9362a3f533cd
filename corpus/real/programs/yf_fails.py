"""A job that takes memory, 40 MB a second, until it gets no more (its ulimit), and ends with an error."""
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("mkreport")
held = []
while True:
    held.append(bytearray(b"f") * (1 << 20))
    time.sleep(0.025)
