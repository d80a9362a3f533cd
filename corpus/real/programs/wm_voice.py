"""Recognizes speech in a smart home with a model of MB in memory: loads it at MB a second, and then goes over all of its pages for each phrase, without end.
Arguments: the MB, MB a second."""
import random
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("whisper")
layers, pattern = [], random.randbytes(4096)
while True:
    if len(layers) < int(sys.argv[1]):
        layers.append(bytearray(random.randbytes(64) + pattern[64:]) * 256)
        time.sleep(1 / float(sys.argv[2]))
    else:
        for layer in layers:
            layer[::4096] = pattern[:256]
        time.sleep(0.1)
