"""A packager of a live stream: every two seconds it writes a segment of KB, and it deletes the one that left the window of five. It syncs nothing.
Arguments: the folder, the KB."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("hlspackager")
folder, part = sys.argv[1], os.urandom(65536)
os.makedirs(folder, exist_ok=True)
number = 0
while True:
    with open(f"{folder}/{number}.ts", "wb") as file:
        for _ in range(int(sys.argv[2]) // 64):
            file.write(part)
    if number >= 5:
        os.remove(f"{folder}/{number - 5}.ts")
    number += 1
    time.sleep(2)
