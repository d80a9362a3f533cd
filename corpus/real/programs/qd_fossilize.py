"""Compiles shaders in advance: computes all the time, and holds 20 MB."""
import zlib

with open("/proc/self/comm", "w") as comm:
    comm.write("fossilize")
shaders = bytes(range(256)) * 80000
while True:
    for at in range(0, len(shaders), 1 << 16):
        zlib.compress(shaders[at : at + (1 << 16)], 9)
