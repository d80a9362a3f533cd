"""Recognizes faces in a photo library: loads a model and batches of pictures into memory at a rate, and ends some seconds after it has all of them.
Arguments: MB, MB a second, seconds."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("photoml")
held, began = [], time.time()
while len(held) < int(sys.argv[1]):
    held.append(bytearray(b"m") * (1 << 20))
    time.sleep(1 / float(sys.argv[2]))
began = time.time()
while time.time() < began + float(sys.argv[3]):
    for batch in held:
        batch[::4096] = b"n" * 256
    time.sleep(0.2)
