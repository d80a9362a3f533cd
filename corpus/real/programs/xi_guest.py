"""The memory of a virtual machine, in small pages: MiB of it, of which the guest changes a little all the time. Argument: the MiB."""
import mmap
import random
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("kvm")
size = int(sys.argv[1]) << 20
memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
memory.madvise(mmap.MADV_NOHUGEPAGE)
for at in range(0, size, 4096):
    memory[at] = 1
open("/tmp/booted", "w").close()
while True:
    memory[random.randrange(size)] = 2
    time.sleep(0.01)
