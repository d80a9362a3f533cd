"""A function that is scaled to nothing: holds MiB and sleeps; when /tmp/go exists it wakes up and looks at all of it once. Argument: the MiB."""
import os
import sys
import time

held = [bytearray(b"w") * (1 << 20) for _ in range(int(sys.argv[1]))]
while not os.path.exists("/tmp/go"):
    time.sleep(0.5)
for block in held:
    block[::4096] = b"v" * 256
time.sleep(10000)
