"""A notebook server draws four plots a second, each of which takes 80 ms of a CPU when nobody else computes."""
import time

import pace


def draw(count):
    value = 1
    for n in range(count):
        value = value * 31 % 1000003


began, count = time.process_time(), 0
while time.process_time() - began < 0.5:
    draw(1000)
    count += 1000
pace.serve(lambda: draw(count * 16 // 100), interval=0.25)
