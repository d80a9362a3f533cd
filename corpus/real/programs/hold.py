"""Holds MiB of memory and uses none of it. Argument: the MiB."""
import sys
import time

held = [bytearray(b"x") * 1048576 for _ in range(int(sys.argv[1]))]
time.sleep(10000)
