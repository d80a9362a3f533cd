"""A linker that maps its output and copies the sections into it; when it is done, the next binary is linked. Arguments: the output, MiB."""
import mmap
import os
import sys

open("/proc/self/comm", "w").write("ld.lld")
size = int(sys.argv[2])
section = os.urandom(1 << 18) * 4
while True:
    file = os.open(sys.argv[1], os.O_CREAT | os.O_RDWR)
    os.ftruncate(file, size << 20)
    output = mmap.mmap(file, size << 20)
    for at in range(size):
        output[at << 20 : (at + 1) << 20] = section
    output.close()
    os.close(file)
