"""A program builds lists of small objects."""
import time

held = []
while len(held) < 60:
    held.append([str(number) * 2 for number in range(50000)])
    time.sleep(0.1)
time.sleep(10000)
