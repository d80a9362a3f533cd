"""A program of 120 MB forks two workers, which change all of their copies."""
import os
import time

held = bytearray(b"x") * (120 << 20)
if os.fork():
    os.fork()
for at in range(0, len(held), 4096):
    held[at] = 1
    if at % (1 << 20) == 0:
        time.sleep(0.05)
time.sleep(10000)
