"""A worker that takes 40 MB of pictures and aborts."""
import os

with open("/proc/self/comm", "w") as comm:
    comm.write("thumbnailer")
pictures = bytearray(os.urandom(1 << 20)) * 40
os.abort()
