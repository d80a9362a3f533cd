"""Puts files of 1 MiB into a folder and removes none. Arguments: the folder, MiB at most, MiB/s."""
import os
import sys
import time

folder, most, rate = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
piece = os.urandom(1 << 20)
for number in range(most):
    with open(f"{folder}/{number}.part", "wb") as file:
        file.write(piece)
    time.sleep(1 / rate)
time.sleep(10000)
