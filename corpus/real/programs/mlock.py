"""A program locks 230 MB."""
import ctypes
import time

ctypes.CDLL(None).mlockall(3)
held = [bytearray(1 << 20) for _ in range(230)]
time.sleep(10000)
