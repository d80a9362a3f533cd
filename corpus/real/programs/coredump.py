"""A worker of 200 MB crashes and starts again, and the kernel writes each core to the disk of the database."""
import os

held = bytearray(b"x") * (200 << 20)
os.abort()
