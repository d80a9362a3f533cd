"""A game server loads a world, and gives every second page of it back to the kernel. Argument: MiB."""
import mmap
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("worldd")
size = int(sys.argv[1]) << 20
world = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
world.madvise(mmap.MADV_NOHUGEPAGE)
for at in range(0, size, 4096):
    world[at] = 1
for at in range(0, size, 8192):
    world.madvise(mmap.MADV_DONTNEED, at, 4096)
time.sleep(10000)
