"""A task of a pipeline in a worker: builds a frame of MB in memory, 8 MB a second, and computes a little over it from time to time. Argument: the MB."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("airflow-task")
frame = []
while len(frame) < int(sys.argv[1]):
    frame.append(bytearray(b"f") * (1 << 20))
    time.sleep(0.125)
while True:
    for block in frame:
        block[::4096] = b"g" * 256
    time.sleep(0.5)
