"""The job handlers of a portal: so many processes with so many MB of memory each, of which they use a few pages every three seconds. Prints nothing. Arguments:
processes, MB of each."""
import os
import random
import sys
import time

for _ in range(int(sys.argv[1]) - 1):
    if not os.fork():
        break
with open("/proc/self/comm", "w") as name:
    name.write("galaxy_handler")
state = [bytearray(b"\1") * (1 << 20) for _ in range(int(sys.argv[2]))]
while True:
    time.sleep(3)
    for part in random.choices(state, k=4):
        part[:256] = b"\2" * 256
