"""Collects the rows of a job in the memory of one process. Arguments: MB, MB per second."""
import sys
import time

size, rate = int(sys.argv[1]), float(sys.argv[2])
frame, due = [], time.time()
while len(frame) < size:
    frame.append(bytearray(b"\1row") * 262144)
    due += 1 / rate
    time.sleep(max(0.0, due - time.time()))
while True:
    time.sleep(1)
    frame[int(time.time()) % size][0] = 2
