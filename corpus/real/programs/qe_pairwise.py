"""Computes the distances of all pairs of points into a matrix of MB, which takes 25 MB a second, and then goes over it column by column, so that each round touches
all of its pages. Argument: the MB."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("variogram")
matrix = []
for _ in range(int(sys.argv[1])):
    matrix.append(bytearray(b"d") * (1 << 20))
    time.sleep(0.04)
column = 0
while True:
    column = (column + 8) % 4096
    for rows in matrix:
        rows[column::4096] = bytes(map((1).__or__, rows[column::4096]))
    time.sleep(0.1)
