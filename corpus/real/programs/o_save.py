"""Writes the memory of a virtual machine to a file, in pieces of 1 MiB around the page cache. Arguments: the file, MiB, MiB/s (0: as fast as it
can)."""
import mmap
import os
import sys
import time

open("/proc/self/comm", "w").write("libvirt_iohelpe" if float(sys.argv[3]) == 0 else "daq")
file, piece = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY | os.O_DIRECT), mmap.mmap(-1, 1 << 20)
piece.write(os.urandom(1 << 20))
size, rate, began = int(sys.argv[2]), float(sys.argv[3]), time.time()
for at in range(size):
    os.pwritev(file, [piece], at << 20)
    if rate:
        time.sleep(max(0, began + at / rate - time.time()))
time.sleep(10000)
