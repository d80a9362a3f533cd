"""A daemon of a build tool: takes MB of heap at 25 MB/s while it builds, as long as so many MiB of files are cached, and stays when the build has ended.
Arguments: MB, MiB."""
import sys
import time

import room

with open("/proc/self/comm", "w") as name:
    name.write("gradledaemon")
size, least = int(sys.argv[1]), int(sys.argv[2])
heap = []
while len(heap) < size and room.files() > least:
    for _ in range(5):
        heap.append(bytearray(b"g") * (1 << 20))
    time.sleep(0.2)
while True:
    time.sleep(1)
    for block in heap:
        block[::65536] = b"y" * 16
