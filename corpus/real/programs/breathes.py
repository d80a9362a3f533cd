"""A program takes 150 MB and gives it back, again and again."""
import time

while True:
    held = bytearray(b"x") * (150 << 20)
    time.sleep(3)
    del held
    time.sleep(3)
