"""Grows by 20 MiB/s."""
import time

held = []
while True:
    held.append(bytearray(1048576 * 2))
    time.sleep(0.1)
