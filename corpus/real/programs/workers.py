"""Forty workers start, each with 6 MB of its own."""
import time

held = bytearray(b"x") * (6 << 20)
time.sleep(10000)
