"""A virtual machine that is started: it takes MB of huge pages from the host's pool, and touches some now and then. Argument: the MB."""
import mmap
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("qemu-kvm")
memory = mmap.mmap(-1, int(sys.argv[1]) << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000)
while True:
    for place in range(0, len(memory), 2 << 20):
        memory[place] = 1
        time.sleep(0.02)
    time.sleep(1)
