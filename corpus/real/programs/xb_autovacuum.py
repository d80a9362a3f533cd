"""A vacuum worker collects the places of dead rows in an array of MB, 15 MB/s, and then looks each up, on and on. Argument: the MB."""
import mmap
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("autovacuum")
size, piece = int(sys.argv[1]), os.urandom(1 << 20)
dead = mmap.mmap(-1, size << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
for at in range(size):
    dead[at << 20 : (at + 1) << 20] = piece
    time.sleep(1 / 15)
while True:
    for at in range(size << 8):
        dead[at << 12]
    time.sleep(0.3)
