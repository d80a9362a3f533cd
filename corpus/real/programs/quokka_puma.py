"""A worker of a web server that gets larger with each request, 12 MB a second, and ends at 130 MB, as its killer wants it."""
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("puma")
held = []
while len(held) < 130:
    held.append(bytearray(b"r") * 1048576)
    time.sleep(1 / 12)
