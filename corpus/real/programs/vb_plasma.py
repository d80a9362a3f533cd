"""A store of objects in shared memory, which tasks of a pipeline fill. Arguments: MB, MB per second."""
import mmap
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("plasma_store")
objects = []
for _ in range(int(sys.argv[1])):
    arrow = mmap.mmap(-1, 1 << 20)
    arrow.write(b"a" * (1 << 20))
    objects.append(arrow)
    time.sleep(1 / float(sys.argv[2]))
time.sleep(1000)
