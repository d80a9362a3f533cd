"""Restreams cameras, and keeps the buffers of each connection that a camera has dropped: MB/s for some seconds while one camera drops all the time, then
2 MB/s. Arguments: the MB/s, the seconds. Prints nothing."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("go2rtc")
rate, fast, buffers = float(sys.argv[1]), float(sys.argv[2]), []
began = time.monotonic()
while True:
    buffers.append(bytearray(b"v") * 1048576)
    time.sleep(1 / rate if time.monotonic() - began < fast else 0.5)
